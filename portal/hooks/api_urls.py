"""Webhooks under /api/v1/."""

from django.urls import path

from portal.hooks import api

urlpatterns = [
    path("webhooks/", api.Webhooks.as_view(), name="api_webhooks"),
    path("webhooks/<str:ref>/", api.OneWebhook.as_view(), name="api_webhook"),
    path("webhooks/<str:ref>/ping/", api.PingWebhook.as_view(), name="api_webhook_ping"),
    path("webhooks/<str:ref>/secret/", api.WebhookSecret.as_view(), name="api_webhook_secret"),
    path("webhooks/<str:ref>/replay/", api.ReplayDeliveries.as_view(), name="api_webhook_replay"),
    path("webhooks/<str:ref>/deliveries/", api.Deliveries.as_view(), name="api_webhook_deliveries"),
    path("webhooks/<str:ref>/deliveries/<str:message>/", api.OneDelivery.as_view(), name="api_webhook_delivery"),
    path(
        "webhooks/<str:ref>/deliveries/<str:message>/replay/",
        api.ReplayDelivery.as_view(),
        name="api_webhook_delivery_replay",
    ),
]
