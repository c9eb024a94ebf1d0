"""The declared rule of every evaluation page. Sets and runs are the workspace's; questions and feedback hide with collections."""

from __future__ import annotations

from django.urls import reverse

from evaluation.models import Feedback, GoldenQuestion, GoldenSet, Run
from tests.isolation.canaries import OWNER
from tests.isolation.matrix import Case, Sent
from tests.isolation.sending import PAPERS, PEOPLE, PLACES, get, post
from tests.isolation.targets import Target

OPEN = {
    "golden_set_sample": "makes the sample in the own workspace; names nothing",
    "question_offers": "the own consent and the own offers; names nothing",
}


def made(aimed: Target) -> bool:
    return GoldenSet.objects.using(OWNER).filter(workspace__ref=aimed.workspace_ref, name=aimed.document_ref).exists()


def grown(aimed: Target) -> bool:
    return (
        GoldenQuestion.objects.using(OWNER)
        .filter(golden_set__ref=aimed.set_ref, text__contains=aimed.document_ref)
        .exists()
    )


def drafted(aimed: Target) -> bool:
    rows = GoldenQuestion.objects.using(OWNER).filter(origin="draft", collection_ids__contains=[aimed.collection_id])
    return any(gold.get("document") == aimed.document_name for row in rows for gold in row.gold)


def approved(aimed: Target) -> bool:
    return GoldenQuestion.objects.using(OWNER).get(ref=aimed.golden_ref).since_version is not None


def changed(aimed: Target) -> bool:
    return GoldenQuestion.objects.using(OWNER).get(ref=aimed.golden_ref).until_version is not None


def started(aimed: Target) -> bool:
    return (
        Run.objects.using(OWNER)
        .filter(name=aimed.document_ref, collection_ids__contains=[aimed.collection_id])
        .exists()
    )


def stopped(aimed: Target) -> bool:
    return Run.objects.using(OWNER).get(ref=aimed.run_ref).state == "cancelled"


def settled(aimed: Target) -> bool:
    return Feedback.objects.using(OWNER).get(ref=aimed.feedback_ref).state == "dismissed"


def given(aimed: Target) -> bool:
    return Feedback.objects.using(OWNER).filter(answer_ref=aimed.answer_ref, kind="up").exists()


def compare(mine: Target, aimed: Target) -> Sent:
    return Sent("GET", reverse("evaluation_compare"), query={"baseline": mine.run_ref, "candidate": aimed.run_ref})


def compared_report(mine: Target, aimed: Target) -> Sent:
    return Sent("GET", reverse("evaluation_report", args=[mine.run_ref, "md"]), query={"baseline": aimed.run_ref})


def report(kind: str) -> Case:
    return Case(
        "evaluation_report",
        f"GET {kind}",
        lambda mine, aimed: Sent("GET", reverse("evaluation_report", args=[aimed.run_ref, kind])),
        PLACES,
        shows="set",
    )


def export(kind: str) -> Case:
    return Case(
        "golden_set_export",
        f"GET {kind}",
        lambda mine, aimed: Sent("GET", reverse("golden_set_export", args=[aimed.set_ref, kind])),
        PLACES,
        shows="golden",
    )


def import_into(mine: Target, aimed: Target) -> Sent:
    line = f'{{"id": "i-{aimed.document_ref}", "question": "About {aimed.document_ref}?", "expects": "decline"}}'
    return Sent("POST", reverse("golden_set_import", args=[aimed.set_ref]), files={"file": ("q.jsonl", line.encode())})


def add_to(mine: Target, aimed: Target) -> Sent:
    form = {"question": f"What of {aimed.document_ref}?", "expects": "decline", "weight": "1"}
    return Sent("POST", reverse("golden_question_add", args=[aimed.set_ref]), form=form)


def draft_from(mine: Target, aimed: Target) -> Sent:
    return Sent("POST", reverse("golden_set_draft", args=[mine.set_ref]), form={"document": aimed.document_ref})


def start_over(mine: Target, aimed: Target) -> Sent:
    form = {"collection": aimed.collection_ref, "name": aimed.document_ref}
    return Sent("POST", reverse("evaluation_start", args=[mine.set_ref]), form=form)


def question_of_own_run(mine: Target, aimed: Target) -> Sent:
    return Sent("GET", reverse("evaluation_result", args=[mine.run_ref, aimed.golden_ref]))


EVALUATION = (
    Case("evaluation", "GET", get("evaluation"), PLACES, shows="set", is_list=True),
    Case("evaluation", "GET of a set", get("evaluation", set="set_ref"), PLACES, shows="set"),
    Case("evaluation_compare", "GET", compare, PLACES, shows="run", mixed=True),
    Case("evaluation_run", "GET", get("evaluation_run", "run_ref"), PLACES, shows="run"),
    Case("evaluation_run", "GET all", get("evaluation_run", "run_ref", show="=all"), PLACES, shows="golden"),
    Case(
        "evaluation_run_stop",
        "POST",
        post("evaluation_run_stop", "run_ref"),
        PLACES,
        did=stopped,
        fresh="queued",
        is_write=True,
    ),
    Case("evaluation_report", "GET against another", compared_report, PLACES, shows="set", mixed=True),
    *(report(kind) for kind in ("md", "xml", "html")),
    Case("evaluation_result", "GET", get("evaluation_result", "run_ref", "golden_ref"), PAPERS, shows="golden"),
    Case("evaluation_result", "GET in an own run", question_of_own_run, PAPERS, shows="golden", mixed=True),
    Case(
        "golden_set_create",
        "POST",
        post("golden_set_create", name="document_ref"),
        PLACES,
        did=made,
        fresh="ready",
        is_list=True,
        is_write=True,
    ),
    Case("golden_set", "GET", get("golden_set", "set_ref"), PLACES, shows="golden"),
    Case("golden_set_import", "POST", import_into, PLACES, did=grown, fresh="ready", is_write=True),
    *(export(kind) for kind in ("jsonl", "csv")),
    Case("golden_question_add", "POST", add_to, PLACES, did=grown, fresh="ready", is_write=True),
    Case(
        "golden_set_draft",
        "POST from a document",
        draft_from,
        PAPERS,
        did=drafted,
        by_role=True,
        fresh="ready",
        is_write=True,
        mixed=True,
    ),
    Case(
        "golden_set_approve",
        "POST",
        post("golden_set_approve", "set_ref", question="golden_ref"),
        PLACES,
        did=approved,
        fresh="draft",
        is_write=True,
    ),
    Case(
        "evaluation_start",
        "POST over a collection",
        start_over,
        PAPERS,
        did=started,
        by_role=True,
        fresh="ready",
        is_write=True,
        mixed=True,
    ),
    Case("golden_question", "GET", get("golden_question", "golden_ref"), PAPERS, shows="golden"),
    Case(
        "golden_question",
        "POST a removal",
        post("golden_question", "golden_ref", remove="=yes"),
        PAPERS,
        did=changed,
        by_role=True,
        fresh="ready",
        is_write=True,
    ),
    Case("feedback_queue", "GET", get("feedback_queue"), PEOPLE, shows="feedback", is_list=True),
    Case(
        "feedback_settle",
        "POST",
        post("feedback_settle", "feedback_ref", do="=dismiss"),
        PEOPLE,
        did=settled,
        fresh="ready",
        is_write=True,
    ),
    Case("answer_feedback", "GET", get("answer_feedback", "answer_ref"), PEOPLE, shows="question"),
    Case(
        "answer_feedback",
        "POST",
        post("answer_feedback", "answer_ref", kind="=up"),
        PEOPLE,
        did=given,
        fresh="ready",
        is_write=True,
    ),
)
