"""Evaluation: overview, golden sets, runs, comparison, feedback."""

from django.urls import path

from evaluation import feedback_views, run_views, set_views

urlpatterns = [
    path("evaluation/", run_views.overview, name="evaluation"),
    path("evaluation/compare/", run_views.comparison, name="evaluation_compare"),
    path("evaluation/runs/<str:ref>/", run_views.run, name="evaluation_run"),
    path("evaluation/runs/<str:ref>/stop/", run_views.stop, name="evaluation_run_stop"),
    path("evaluation/runs/<str:ref>/report.<str:kind>", run_views.download_report, name="evaluation_report"),
    path("evaluation/runs/<str:ref>/questions/<str:question>/", run_views.result, name="evaluation_result"),
    path("evaluation/sets/", set_views.create, name="golden_set_create"),
    path("evaluation/sets/sample/", set_views.make_sample, name="golden_set_sample"),
    path("evaluation/sets/<str:ref>/", set_views.golden_set, name="golden_set"),
    path("evaluation/sets/<str:ref>/import/", set_views.import_file, name="golden_set_import"),
    path("evaluation/sets/<str:ref>/export.<str:kind>", set_views.export_file, name="golden_set_export"),
    path("evaluation/sets/<str:ref>/questions/", set_views.add_question, name="golden_question_add"),
    path("evaluation/sets/<str:ref>/draft/", set_views.draft, name="golden_set_draft"),
    path("evaluation/sets/<str:ref>/approve/", set_views.approve, name="golden_set_approve"),
    path("evaluation/sets/<str:ref>/run/", set_views.start, name="evaluation_start"),
    path("evaluation/questions/<str:ref>/", set_views.question, name="golden_question"),
    path("evaluation/offers/", feedback_views.standing_offer, name="question_offers"),
    path("evaluation/feedback/", feedback_views.queue, name="feedback_queue"),
    path("evaluation/feedback/<str:ref>/", feedback_views.settle, name="feedback_settle"),
    path("answers/<str:ref>/feedback/", feedback_views.answer_feedback, name="answer_feedback"),
]
