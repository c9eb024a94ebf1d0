"""The URL names that the templates use, leading nowhere: pages are rendered here without views."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path


def nothing(request: HttpRequest, ref: str = "", kind: str = "", question: str = "") -> HttpResponse:
    return HttpResponse(status=204)


urlpatterns = [
    path("", nothing, name="ask"),
    path("answers/<ref>/", nothing, name="answer"),
    path("answers/<ref>/why/", nothing, name="answer_why"),
    path("answers/<ref>/why-not/", nothing, name="answer_why_not"),
    path("answers/<ref>/replay/", nothing, name="answer_replay"),
    path("search/", nothing, name="search"),
    path("library/", nothing, name="library"),
    path("queue/", nothing, name="queue"),
    path("library/collections/<ref>/", nothing, name="collection"),
    path("library/upload/", nothing, name="upload"),
    path("documents/<ref>/", nothing, name="document"),
    path("documents/<ref>/row/", nothing, name="document_row"),
    path("documents/<ref>/retry/", nothing, name="document_retry"),
    path("documents/<ref>/cancel/", nothing, name="document_cancel"),
    path("documents/<ref>/delete/", nothing, name="document_delete"),
    path("documents/<ref>/compare/", nothing, name="document_compare"),
    path("documents/<ref>/receipt/", nothing, name="document_receipt"),
    path("documents/<ref>/purge/", nothing, name="document_purge"),
    path("documents/<ref>/disable/", nothing, name="document_disable"),
    path("documents/<ref>/enable/", nothing, name="document_enable"),
    path("documents/<ref>/move/", nothing, name="document_move"),
    path("documents/<ref>/replace/", nothing, name="document_replace"),
    path("documents/<ref>/original/", nothing, name="document_original"),
    path("history/", nothing, name="history"),
    path("history/<ref>/delete/", nothing, name="history_delete"),
    path("history-clear/", nothing, name="history_clear"),
    path("evaluation/", nothing, name="evaluation"),
    path("evaluation/compare/", nothing, name="evaluation_compare"),
    path("evaluation/runs/<ref>/", nothing, name="evaluation_run"),
    path("evaluation/runs/<ref>/stop/", nothing, name="evaluation_run_stop"),
    path("evaluation/runs/<ref>/report.<kind>", nothing, name="evaluation_report"),
    path("evaluation/runs/<ref>/questions/<question>/", nothing, name="evaluation_result"),
    path("evaluation/sets/", nothing, name="golden_set_create"),
    path("evaluation/sets/sample/", nothing, name="golden_set_sample"),
    path("evaluation/sets/<ref>/", nothing, name="golden_set"),
    path("evaluation/sets/<ref>/import/", nothing, name="golden_set_import"),
    path("evaluation/sets/<ref>/export.<kind>", nothing, name="golden_set_export"),
    path("evaluation/sets/<ref>/questions/", nothing, name="golden_question_add"),
    path("evaluation/sets/<ref>/draft/", nothing, name="golden_set_draft"),
    path("evaluation/sets/<ref>/approve/", nothing, name="golden_set_approve"),
    path("evaluation/sets/<ref>/run/", nothing, name="evaluation_start"),
    path("evaluation/questions/<ref>/", nothing, name="golden_question"),
    path("api/v1/docs/", nothing, name="api_docs"),
    path("api/openapi.json", nothing, name="typed_schema"),
    path("people/", nothing, name="people"),
    path("account/", nothing, name="account"),
    path("keys/", nothing, name="keys"),
    path("webhooks/", nothing, name="webhooks"),
    path("evaluation/feedback/", nothing, name="feedback_queue"),
    path("evaluation/feedback/<ref>/", nothing, name="feedback_settle"),
    path("answers/<ref>/feedback/", nothing, name="answer_feedback"),
    path("sign-in/", nothing, name="sign_in"),
    path("sign-out/", nothing, name="sign_out"),
    path("workspace/", nothing, name="workspace_switch"),
    path("status/", nothing, name="status"),
    path("help/", nothing, name="help"),
]
