from django.urls import path

from answers import live_views, views, why_views
from answers.agents import views as agents

urlpatterns = [
    path("", views.ask, name="ask"),
    path("answers/<str:ref>/", views.answer, name="answer"),
    path("answers/<str:ref>/stop/", live_views.stop, name="answer_stop"),
    path("stream/<str:ref>/", live_views.stream, name="stream"),
    path("answers/<str:ref>/why/", why_views.why, name="answer_why"),
    path("answers/<str:ref>/why-not/", why_views.why_not, name="answer_why_not"),
    path("answers/<str:ref>/replay/", why_views.replay_now, name="answer_replay"),
    path("history/again/", views.answers_again, name="answers_again"),
    path("history/", views.history, name="history"),
    path("history/clear/", views.history_clear, name="history_clear"),
    path("history/<str:ref>/delete/", views.history_delete, name="history_delete"),
    path("mcp", agents.mcp, name="mcp"),
    path("mcp/", agents.mcp, name="mcp_slash"),
]
