"""The declared rule of the API's routes about the tenancy, jobs, many documents at once, golden sets and runs."""

from __future__ import annotations

from collections.abc import Callable

from django.urls import reverse

from documents.models import Document
from portal.models import Collection
from tests.isolation import evaluation_routes as evaluation
from tests.isolation import hook_routes, import_routes
from tests.isolation.canaries import OWNER, canary
from tests.isolation.matrix import Case, Sent
from tests.isolation.sending import (
    PAPERS,
    PEOPLE,
    PLACES,
    Send,
    cancelled,
    delete,
    deleted,
    forgotten,
    get,
    own_then,
    post,
    post_json,
    queued,
    revoked,
    rotated,
    upload,
    uploaded,
)
from tests.isolation.targets import Target


def rename(mine: Target, aimed: Target) -> Sent:
    name = f"{canary(aimed.owner, 'collection')} renamed"
    return Sent("PATCH", reverse("api_collection", args=[aimed.collection_ref]), body={"name": name})


def renamed(aimed: Target) -> bool:
    return Collection.objects.using(OWNER).get(ref=aimed.collection_ref).name.endswith("renamed")


def removed(aimed: Target) -> bool:
    return not Collection.objects.using(OWNER).filter(ref=aimed.collection_ref).exists()


def shelved(aimed: Target) -> bool:
    return Collection.objects.using(OWNER).filter(workspace__ref=aimed.workspace_ref, name=aimed.document_ref).exists()


def described(aimed: Target) -> bool:

    return Document.objects.using(OWNER).get(pk=aimed.document_id).source_url.endswith(aimed.document_ref)


def describe(mine: Target, aimed: Target) -> Sent:
    body = {"source_url": f"https://example.org/{aimed.document_ref}"}
    return Sent("PATCH", reverse("api_document", args=[aimed.document_ref]), body=body)


def many(action: str) -> Case:
    did = {"delete": deleted, "retry": queued}[action]
    return Case(
        "api_documents_bulk",
        f"POST {action}",
        post_json("api_documents_bulk", action=f"={action}", documents=["document_ref"]),
        PAPERS,
        did=did,
        fresh="ready",
        needs="ingest",
    )


def save_into(mine: Target, aimed: Target) -> Sent:
    question = {"question": f"What of {aimed.document_ref}?", "expects": "decline"}
    path = reverse("api_golden_questions", args=[aimed.set_ref])
    return Sent("POST", path, body={"questions": [question]})


def start_over(mine: Target, aimed: Target) -> Sent:
    body = {"golden_set": mine.set_ref, "collections": [aimed.collection_ref], "name": aimed.document_ref}
    return Sent("POST", reverse("api_runs"), body=body)


def compared(mine: Target, aimed: Target) -> Sent:
    return Sent("GET", reverse("api_comparisons"), query={"baseline": mine.run_ref, "candidate": aimed.run_ref})


def why_not(mark: Callable[[Target], dict[str, object]]) -> Send:
    """Of the sender's own answer, something of the aimed one's."""
    return lambda mine, aimed: Sent("POST", reverse("api_why_not", args=[mine.answer_ref]), body=mark(aimed))


def report_against(mine: Target, aimed: Target) -> Sent:
    return Sent("GET", reverse("api_run_report", args=[mine.run_ref]), query={"baseline": aimed.run_ref})


TENANCY = (
    Case("api_workspaces", "GET", get("api_workspaces"), PLACES, shows="workspace", needs="read", is_list=True),
    Case("api_workspace", "GET", get("api_workspace", "workspace_ref"), PLACES, shows="workspace", needs="read"),
    Case("api_members", "GET", get("api_members"), PEOPLE, shows="email", needs="read", is_list=True),
    Case("api_member", "GET", get("api_member", "membership_id"), PLACES, shows="email", needs="read"),
    Case("api_audit", "GET", get("api_audit"), PLACES, shows="audit", needs="admin", is_list=True),
    Case("api_usage", "GET", get("api_usage"), PLACES, shows="workspace", needs="admin", is_list=True),
    Case("api_collection", "GET", get("api_collection", "collection_ref"), PAPERS, shows="collection", needs="read"),
    Case("api_collection", "PATCH", rename, PAPERS, did=renamed, needs="ingest", is_write=True),
    Case(
        "api_collection",
        "DELETE",
        delete("api_collection", "collection_ref"),
        PLACES,
        did=removed,
        fresh="shelf",
        needs="ingest",
        is_write=True,
    ),
    Case(
        "api_collections",
        "POST",
        post_json("api_collections", name="document_ref", kind="=shared"),
        PLACES,
        did=shelved,
        fresh="ready",
        needs="ingest",
        is_list=True,
        is_write=True,
    ),
    Case(
        "api_collection_grants",
        "GET",
        get("api_collection_grants", "collection_ref"),
        ("granted",),
        shows="collection",
        needs="read",
    ),
)

DOCUMENTS = (
    Case("api_document", "PATCH", describe, PAPERS, did=described, fresh="ready", needs="ingest", is_write=True),
    many("delete"),
    many("retry"),
    Case(
        "api_documents_batch",
        "POST into a collection",
        upload("api_documents_batch", collection="collection_ref"),
        PAPERS,
        did=uploaded,
        fresh="ready",
        needs="ingest",
        is_write=True,
    ),
    Case("api_jobs", "GET", get("api_jobs"), PAPERS, shows="name", needs="read", is_list=True),
    Case("api_jobs", "GET of a document", get("api_jobs", document="document_ref"), PAPERS, shows="name", needs="read"),
    Case("api_job", "GET", get("api_job", "job_ref"), PAPERS, shows="name", needs="read"),
    Case(
        "api_job_cancel",
        "POST",
        post("api_job_cancel", "job_ref"),
        PAPERS,
        did=cancelled,
        fresh="queued",
        needs="ingest",
        is_write=True,
    ),
    Case("api_answer", "GET", get("api_answer", "answer_ref"), PEOPLE, shows="question", needs="ask"),
    Case("api_chunk", "GET", get("api_chunk", "chunk_id"), PAPERS, shows="text", needs="read"),
    Case("api_document_text", "GET", get("api_document_text", "document_ref"), PAPERS, shows="text", needs="read"),
    Case(
        "api_document_text",
        "GET a version of another",
        own_then("api_document_text", "document_ref", version="version_ref"),
        PAPERS,
        shows="text",
        needs="read",
        mixed=True,
    ),
    Case(
        "api_document_original", "GET", get("api_document_original", "document_ref"), PAPERS, shows="text", needs="read"
    ),
    Case(
        "api_document_original",
        "GET a version of another",
        own_then("api_document_original", "document_ref", version="version_ref"),
        PAPERS,
        shows="text",
        needs="read",
        mixed=True,
    ),
    Case(
        "api_why_not",
        "POST a passage of another",
        why_not(lambda aimed: {"chunk": aimed.chunk_id}),
        PEOPLE,
        shows="heading",
        needs="ask",
        mixed=True,
    ),
    Case(
        "api_why_not",
        "POST a document of another",
        why_not(lambda aimed: {"document": aimed.document_ref, "words": "zebra"}),
        PEOPLE,
        shows="heading",
        needs="ask",
        mixed=True,
    ),
    Case("api_replay", "POST", post("api_replay", "answer_ref"), PEOPLE, shows="question", needs="ask"),
    Case("api_trace", "GET", get("api_trace", "answer_ref"), PEOPLE, shows="trace", needs="ask"),
)

EVALUATION = (
    Case("api_golden_sets", "GET", get("api_golden_sets"), PLACES, shows="set", needs="read", is_list=True),
    Case(
        "api_golden_sets",
        "POST",
        post_json("api_golden_sets", name="document_ref"),
        PLACES,
        did=evaluation.made,
        fresh="ready",
        needs="admin",
        is_list=True,
        is_write=True,
    ),
    Case("api_golden_set", "GET", get("api_golden_set", "set_ref"), PLACES, shows="set", needs="read"),
    Case("api_golden_questions", "GET", get("api_golden_questions", "set_ref"), PLACES, shows="golden", needs="read"),
    Case(
        "api_golden_questions",
        "POST",
        save_into,
        PLACES,
        did=evaluation.grown,
        fresh="ready",
        needs="admin",
        is_write=True,
    ),
    Case("api_runs", "GET", get("api_runs"), PLACES, shows="run", needs="read", is_list=True),
    Case("api_runs", "GET of a set", get("api_runs", golden_set="set_ref"), PLACES, shows="run", needs="read"),
    Case(
        "api_runs",
        "POST over a collection",
        start_over,
        PAPERS,
        did=evaluation.started,
        by_role=True,
        fresh="ready",
        needs="admin",
        is_write=True,
        mixed=True,
    ),
    Case("api_run", "GET", get("api_run", "run_ref"), PLACES, shows="run", needs="read"),
    Case(
        "api_run_cancel",
        "POST",
        post("api_run_cancel", "run_ref"),
        PLACES,
        did=evaluation.stopped,
        fresh="queued",
        needs="admin",
        is_write=True,
    ),
    Case("api_run_results", "GET", get("api_run_results", "run_ref"), PLACES, shows="golden", needs="read"),
    Case("api_run_report", "GET", get("api_run_report", "run_ref"), PLACES, shows="set", needs="read"),
    Case("api_run_report", "GET against another", report_against, PLACES, shows="set", needs="read", mixed=True),
    Case("api_comparisons", "GET", compared, PLACES, shows="run", needs="read", mixed=True),
    Case("api_feedbacks", "GET", get("api_feedbacks"), PEOPLE, shows="feedback", needs="read", is_list=True),
    Case("api_feedback", "GET", get("api_feedback", "feedback_ref"), PEOPLE, shows="feedback", needs="read"),
    Case(
        "api_feedback",
        "POST",
        post_json("api_feedback", "feedback_ref", do="=dismiss"),
        PEOPLE,
        did=evaluation.settled,
        fresh="ready",
        needs="admin",
        is_write=True,
    ),
    Case(
        "api_answer_feedback",
        "POST",
        post_json("api_answer_feedback", "answer_ref", kind="=up"),
        PEOPLE,
        did=evaluation.given,
        fresh="ready",
        needs="ask",
        is_write=True,
    ),
)

LAST = (
    Case(
        "api_questions",
        "DELETE all",
        delete("api_questions"),
        PEOPLE,
        did=forgotten,
        fresh="ready",
        needs="ask",
        is_list=True,
        is_write=True,
    ),
)
"""Whoever tries it clears their own history."""

KEYS = (
    Case("api_keys", "GET", get("api_keys"), PEOPLE, shows="key", needs="read", any_scope=True, is_list=True),
    Case("api_key", "GET", get("api_key", "key_ref"), PEOPLE, shows="key", needs="read", any_scope=True),
    Case(
        "api_key_rotate",
        "POST",
        post_json("api_key_rotate", "key_ref", overlap_minutes=60),
        ("eve",),
        did=rotated,
        needs="read",
        any_scope=True,
    ),
    Case("api_key", "DELETE", delete("api_key", "key_ref"), ("eve",), did=revoked, needs="read", any_scope=True),
)
"""The last of all: eve's key is no credential afterwards."""

MORE = (*TENANCY, *DOCUMENTS, *EVALUATION, *hook_routes.API, *import_routes.API, *LAST, *KEYS)
