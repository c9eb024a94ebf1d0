"""Questions under /api/v1/, and the search beneath them."""

from django.urls import include, path

from answers import answers_api, api, debug_api, usage_api

urlpatterns = [
    path("", include("retrieval.api_urls")),
    path("questions/", api.Questions.as_view(), name="api_questions"),
    path("questions/<str:ref>/", api.OneQuestion.as_view(), name="api_question"),
    path("answers/<str:ref>/", answers_api.OneAnswer.as_view(), name="api_answer"),
    path("answers/<str:ref>/trace/", answers_api.OneTrace.as_view(), name="api_trace"),
    path("answers/<str:ref>/why-not/", debug_api.WhyNot.as_view(), name="api_why_not"),
    path("answers/<str:ref>/replay/", debug_api.Replay.as_view(), name="api_replay"),
    path("usage/", usage_api.Usage.as_view(), name="api_usage"),
]
