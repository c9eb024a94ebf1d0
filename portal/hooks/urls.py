"""The Webhooks pages."""

from django.urls import path

from portal.hooks import views

urlpatterns = [
    path("webhooks/", views.webhooks, name="webhooks"),
    path("webhooks/<str:ref>/", views.webhook, name="webhook"),
    path("webhooks/<str:ref>/ping/", views.webhook_ping, name="webhook_ping"),
    path("webhooks/<str:ref>/switch/", views.webhook_switch, name="webhook_switch"),
    path("webhooks/<str:ref>/secret/", views.webhook_secret, name="webhook_secret"),
    path("webhooks/<str:ref>/replay/", views.webhook_replay, name="webhook_replay"),
    path("webhooks/<str:ref>/delete/", views.webhook_delete, name="webhook_delete"),
]
