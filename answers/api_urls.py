"""Questions under /api/v1/, and the search beneath them."""

from django.urls import include, path

from answers import api

urlpatterns = [
    path("", include("retrieval.api_urls")),
    path("questions/", api.Questions.as_view(), name="api_questions"),
    path("questions/<str:ref>/", api.OneQuestion.as_view(), name="api_question"),
]
