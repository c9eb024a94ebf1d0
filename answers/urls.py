from django.urls import path

from answers import views

urlpatterns = [
    path("", views.ask, name="ask"),
    path("answers/<str:ref>/", views.answer, name="answer"),
    path("history/", views.history, name="history"),
    path("history/clear/", views.history_clear, name="history_clear"),
    path("history/<str:ref>/delete/", views.history_delete, name="history_delete"),
]
