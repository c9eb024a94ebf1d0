"""Golden sets, runs, comparisons and feedback under /api/v1/."""

from django.urls import path

from evaluation import api, feedback_api, report_api

urlpatterns = [
    path("golden-sets/", api.GoldenSets.as_view(), name="api_golden_sets"),
    path("golden-sets/<str:ref>/", api.OneGoldenSet.as_view(), name="api_golden_set"),
    path("golden-sets/<str:ref>/questions/", api.GoldenQuestions.as_view(), name="api_golden_questions"),
    path("runs/", api.Runs.as_view(), name="api_runs"),
    path("runs/<str:ref>/", api.OneRun.as_view(), name="api_run"),
    path("runs/<str:ref>/cancel/", api.CancelRun.as_view(), name="api_run_cancel"),
    path("runs/<str:ref>/results/", api.RunResults.as_view(), name="api_run_results"),
    path("runs/<str:ref>/report/", report_api.RunReport.as_view(), name="api_run_report"),
    path("comparisons/", api.Comparisons.as_view(), name="api_comparisons"),
    path("feedback/", feedback_api.Feedbacks.as_view(), name="api_feedbacks"),
    path("feedback/<str:ref>/", feedback_api.OneFeedback.as_view(), name="api_feedback"),
    path("answers/<str:ref>/feedback/", feedback_api.AnswerFeedback.as_view(), name="api_answer_feedback"),
]
