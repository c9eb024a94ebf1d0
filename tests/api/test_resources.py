"""The tenancy, documents in number, jobs, answers, golden sets and runs, as a program lives on them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents.models import Document, IngestJob
from documents.worker import work_through
from evaluation import worker as evaluation_worker
from portal.models import AuditEvent, Collection
from portal.people import share
from tests.conftest import Cast
from tests.documents.api.conftest import Program, ProgramFor
from tests.documents.making import make_document, upload_of
from tests.fakes.openai_server import OpenAIServer

OWNER = "owner"
LOGS = b"# Logging\n\n## Retention\n\nAccess logs are kept for 90 days and then deleted automatically.\n"
QUESTION = "How long are access logs kept?"


def patch(program: Program, path: str, body: Any) -> Any:
    return program.call("PATCH", path, body)


def test_a_key_knows_its_workspace_and_its_fellow_members(cast: Cast, program: ProgramFor) -> None:
    dot = program(cast.dot, "read")

    [workspace] = dot.get("/workspaces/").json()["results"]
    members = dot.get("/members/?order=oldest").json()["results"]
    one = dot.get(f"/members/{members[0]['id']}/")

    assert (workspace["ref"], workspace["name"], workspace["role"]) == (cast.north.ref, "North", "reader")
    assert dot.get(f"/workspaces/{cast.north.ref}/").json() == workspace
    assert [(m["email"].partition("@")[0], m["role"]) for m in members] == [
        ("ada", "owner"),
        ("ben", "editor"),
        ("dot", "reader"),
        ("root", "owner"),
    ]
    assert one.json() == members[0]
    assert "password" not in str(members)


def test_an_editor_makes_renames_and_the_owner_removes_a_collection(cast: Cast, program: ProgramFor) -> None:
    ben, ada = program(cast.ben), program(cast.ada)

    made = ben.post("/collections/", {"name": "Contracts", "kind": "shared"})
    ref = made.json()["ref"]
    renamed = patch(ben, f"/collections/{ref}/", {"name": "Old contracts"})
    not_by_ben = ben.delete(f"/collections/{ref}/")
    by_ada = ada.delete(f"/collections/{ref}/")

    assert (made.status_code, made.json()["name"], made.json()["may_edit"]) == (201, "Contracts", True)
    assert made.headers["Location"] == f"/api/v1/collections/{ref}/"
    assert renamed.json()["name"] == "Old contracts"
    assert (not_by_ben.status_code, not_by_ben.json()["code"]) == (403, "portal.owner_only")
    assert (by_ada.status_code, ada.get(f"/collections/{ref}/").status_code) == (204, 404)
    actions = (
        AuditEvent.objects.using(OWNER)
        .filter(action__startswith="collection")
        .order_by("id")
        .values_list("action", flat=True)
    )
    assert list(actions) == ["collection.made", "collection.renamed", "collection.removed"]


def test_a_collection_with_documents_stays(cast: Cast, program: ProgramFor) -> None:
    make_document(cast.shared(cast.north), "a.md")

    answer = program(cast.ada).delete(f"/collections/{cast.shared(cast.north).ref}/")

    assert (answer.status_code, answer.json()["code"]) == (409, "portal.not_empty")
    assert Collection.objects.using(OWNER).filter(pk=cast.shared(cast.north).pk).exists()


def test_a_reader_and_a_narrow_key_make_no_collection(cast: Cast, program: ProgramFor) -> None:
    body = {"name": "x", "kind": "shared"}

    reader = program(cast.dot).post("/collections/", body)
    narrow = program(cast.ada, collections=[cast.shared(cast.north)]).post("/collections/", body)

    assert [answer.json()["code"] for answer in (reader, narrow)] == ["portal.read_only", "portal.key_narrow"]
    assert Collection.objects.using(OWNER).filter(name="x").count() == 0


def test_a_granted_collection_says_whom_it_is_open_to(cast: Cast, program: ProgramFor) -> None:
    ref = program(cast.ada).post("/collections/", {"name": "Board", "kind": "granted"}).json()["ref"]
    share(Collection.objects.using(OWNER).get(ref=ref), cast.ben)

    seen = program(cast.ben).get(f"/collections/{ref}/grants/").json()["results"]

    assert [(row["email"], row["may_edit"]) for row in seen] == [("ben@example.org", False)]
    assert program(cast.dot).get(f"/collections/{ref}/grants/").status_code == 404


def test_a_document_gets_another_name_unless_it_is_taken(cast: Cast, program: ProgramFor) -> None:
    shared = cast.shared(cast.north)
    one, _ = make_document(shared, "one.md"), make_document(shared, "two.md")
    ada = program(cast.ada)

    free = patch(ada, f"/documents/{one.ref}/", {"name": "docs/three.md", "source_url": "https://example.org/3"})
    taken = patch(ada, f"/documents/{one.ref}/", {"name": "two.md"})
    reader = patch(program(cast.dot), f"/documents/{one.ref}/", {"name": "x.md"})

    assert (free.json()["name"], free.json()["source_url"]) == ("docs/three.md", "https://example.org/3")
    assert (taken.status_code, taken.json()["code"]) == (409, "portal.conflict")
    assert reader.status_code == 403
    assert Document.objects.using(OWNER).get(pk=one.pk).name_key == "docs/three.md"


def test_many_files_have_a_result_each(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)
    files = [upload_of("a.md"), upload_of("empty.md", b""), upload_of("b.bin", b"\x00\x01\x02\x03")]
    headers = {"Authorization": f"Bearer {ada.key}"}

    answer = Client().post("/api/v1/documents/batch/", {"file": files}, headers=headers)

    rows = answer.json()["results"]
    assert answer.status_code == 202
    assert [(row["item"], row["status"], row["code"]) for row in rows] == [
        ("a.md", 202, ""),
        ("empty.md", 422, "documents.empty"),
        ("b.bin", 415, "documents.unsupported"),
    ]
    assert rows[0]["document"] == Document.objects.using(OWNER).get().ref


def test_paths_come_for_every_file_or_for_none(cast: Cast, program: ProgramFor) -> None:
    headers = {"Authorization": f"Bearer {program(cast.ada).key}"}
    form = {"file": [upload_of("a.md"), upload_of("a.md")], "path": ["x/a.md"]}

    uneven = Client().post("/api/v1/documents/batch/", form, headers=headers)
    form = {"file": [upload_of("a.md"), upload_of("a.md", b"# Other\n\nText.\n")], "path": ["x/a.md", "y/a.md"]}
    even = Client().post("/api/v1/documents/batch/", form, headers=headers)

    assert (uneven.status_code, list(uneven.json()["errors"])) == (400, ["path"])
    assert [row["item"] for row in even.json()["results"]] == ["x/a.md", "y/a.md"]


def test_one_action_on_many_documents_succeeds_and_fails_one_by_one(cast: Cast, program: ProgramFor) -> None:
    shared, bens = make_document(cast.shared(cast.north), "a.md"), make_document(cast.private(cast.ben), "b.md")
    refs = [shared.ref, bens.ref, "0" * 18, shared.ref]

    by_dot = program(cast.dot).post("/documents/bulk/", {"action": "delete", "documents": refs}).json()["results"]
    by_ada = program(cast.ada).post("/documents/bulk/", {"action": "delete", "documents": refs}).json()["results"]

    assert [(row["status"], row["code"]) for row in by_dot] == [
        (403, "portal.read_only"),
        (404, "portal.not_found"),
        (404, "portal.not_found"),
    ]
    assert [(row["item"], row["status"]) for row in by_ada] == [(shared.ref, 204), (bens.ref, 404), ("0" * 18, 404)]
    assert [row.deleted_at is None for row in Document.objects.using(OWNER).order_by("id")] == [False, True]


def test_a_job_is_followed_to_its_end_and_can_be_stopped(
    cast: Cast, program: ProgramFor, toy_model: OpenAIServer
) -> None:
    ada = program(cast.ada)
    taken = [ada.upload(f"{name}.md", LOGS + name.encode()).json()["document"] for name in ("read", "stopped")]

    stopped = ada.post(f"/jobs/{taken[1]['job']['ref']}/cancel/")
    work_through()
    done = ada.get(f"/jobs/{taken[0]['job']['ref']}/").json()
    listed = ada.get(f"/jobs/?document={taken[1]['ref']}&state=cancelled").json()["results"]

    assert (stopped.status_code, stopped.json()["state"]) == (200, "cancelled")
    assert (done["state"], done["document"], done["document_name"]) == ("done", taken[0]["ref"], "read.md")
    assert [row["ref"] for row in listed] == [taken[1]["job"]["ref"]]
    assert ada.get(f"/documents/{taken[1]['ref']}/").json()["reason"]["code"] == "documents.cancelled"
    assert program(cast.ben).get(f"/jobs/{done['ref']}/").status_code == 404


def test_an_answer_has_a_trace_and_takes_feedback(cast: Cast, program: ProgramFor, toy_model: OpenAIServer) -> None:
    program(cast.ada).upload("logs.md", LOGS, collection=cast.shared(cast.north).ref)
    work_through()
    dot = program(cast.dot)
    asked = dot.post("/questions/", {"question": QUESTION}).json()
    ref = asked["answer"]["ref"]

    trace = dot.get(f"/answers/{ref}/trace/").json()
    given = dot.post(f"/answers/{ref}/feedback/", {"kind": "down", "reason": "wrong", "comment": "No."})
    settled = program(cast.ben, "read", "admin").post(f"/feedback/{given.json()['ref']}/", {"do": "take"})

    assert dot.get(f"/answers/{ref}/").json() == asked
    assert {"words", "meaning", "fused"} <= {stage["name"].removeprefix("search.") for stage in trace["stages"]}
    assert any(stage["candidates"] and stage["candidates"][0]["rank"] == 1 for stage in trace["stages"])
    assert (given.status_code, given.json()["question"], given.json()["state"]) == (201, QUESTION, "new")
    assert (settled.status_code, settled.json()["state"]) == (200, "taken")
    assert program(cast.ada).get(f"/answers/{ref}/trace/").status_code == 404


def test_a_run_is_started_watched_and_compared(cast: Cast, program: ProgramFor, toy_model: OpenAIServer) -> None:
    program(cast.ada).upload("logs.md", LOGS, collection=cast.shared(cast.north).ref)
    work_through()
    ben = program(cast.ben, "read", "admin")
    golden = ben.post("/golden-sets/", {"name": "Logs"}).json()["ref"]
    questions = [
        {"id": "q1", "question": QUESTION, "answers": ["90 days"], "gold": [{"document": "logs.md"}]},
        {"id": "q2", "question": "Who won the chess olympiad?", "expects": "decline"},
    ]

    saved = ben.post(f"/golden-sets/{golden}/questions/", {"questions": questions}).json()
    started = ben.post("/runs/", {"golden_set": golden, "configuration": {"k": 3}})
    evaluation_worker.work_through()
    run = ben.get(started.headers["Location"].removeprefix("/api/v1")).json()
    other = ben.post("/runs/", {"golden_set": golden, "configuration": {"words": False, "meaning": True}}).json()
    evaluation_worker.work_through()
    compared = ben.get(f"/comparisons/?baseline={run['ref']}&candidate={other['ref']}").json()

    assert saved == {"version": 1, "added": 2, "changed": 0, "removed": 0}
    assert (started.status_code, started.json()["state"], started.json()["total"]) == (202, "queued", 2)
    assert (run["state"], run["done"], run["summary"]["questions"]) == ("done", 2, 2)
    results = ben.get(f"/runs/{run['ref']}/results/").json()["results"]
    assert [(row["question"], row["outcome"]) for row in results] == [("q1", "answered"), ("q2", "declined")]
    assert (compared["questions"], {row["call"] for row in compared["differences"]}) == (2, {"no evidence"})
    assert [row["id"] for row in ben.get(f"/golden-sets/{golden}/questions/").json()["results"]] == ["q1", "q2"]


def test_a_configuration_that_is_none_and_a_reader_start_nothing(cast: Cast, program: ProgramFor) -> None:
    ada, dot = program(cast.ada, "admin"), program(cast.dot, "admin", "read")
    golden = ada.post("/golden-sets/", {"name": "Logs"}).json()["ref"]

    unknown = ada.post("/runs/", {"golden_set": golden, "configuration": {"speed": 9}})
    empty = ada.post("/runs/", {"golden_set": golden})
    reader = dot.post("/golden-sets/", {"name": "Mine"})
    twice = ada.post("/golden-sets/", {"name": "Logs"})

    codes = [answer.json()["code"] for answer in (unknown, empty, reader, twice)]
    assert codes == [
        "evaluation.configuration",
        "evaluation.no_questions",
        "evaluation.read_only",
        "evaluation.name_taken",
    ]


def test_the_audit_and_the_usage_are_of_what_the_key_sees(
    cast: Cast, program: ProgramFor, toy_model: OpenAIServer
) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    program(cast.ben).delete(f"/documents/{document.ref}/")
    make_document(cast.shared(cast.north), "b.md", body=b"12345", chunk_count=1)
    program(cast.dot).post("/questions/", {"question": QUESTION})

    of_owner = program(cast.ada, "admin").get("/audit/?action=document.deleted").json()["results"]
    of_reader = program(cast.dot, "admin").get("/audit/").json()["results"]
    usage = program(cast.dot, "admin").get("/usage/?days=1").json()

    assert [(row["email"], row["object_ref"]) for row in of_owner] == [("ben@example.org", document.ref)]
    assert {row["email"] for row in of_reader} == {"dot@example.org"}
    assert (usage["documents"], usage["questions"], usage["stored_bytes"]) == (1, 1, 5)
    assert [(row["questions"], row["declined"]) for row in usage["by_day"]] == [(1, 1)]


def test_a_list_of_documents_costs_the_same_queries_however_long_it_is(cast: Cast, program: ProgramFor) -> None:
    dot, shared = program(cast.dot, "read"), cast.shared(cast.north)

    def queries() -> int:
        with CaptureQueriesContext(connections["default"]) as captured:
            assert dot.get("/documents/?limit=200").status_code == 200
        return len(captured)

    make_document(shared, "0.md")
    few = queries()
    for number in range(1, 30):
        make_document(shared, f"{number}.md")

    assert queries() == few
    assert few <= 16


def test_a_retry_that_comes_twice_queues_once(cast: Cast, program: ProgramFor) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    ada = program(cast.ada)

    statuses = [ada.post(f"/documents/{document.ref}/retry/").status_code for _ in range(2)]

    assert statuses == [202, 202]
    assert IngestJob.objects.using(OWNER).filter(document=document).count() == 1


@pytest.mark.parametrize(
    "path", ["/members/1/", "/collections/x/", "/jobs/x/", "/runs/x/", "/golden-sets/x/", "/answers/x/"]
)
def test_what_never_was_is_not_found(cast: Cast, program: ProgramFor, path: str) -> None:
    answer = program(cast.cy).get(path)

    assert (answer.status_code, answer.json()["code"]) == (404, "portal.not_found")
