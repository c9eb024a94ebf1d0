"""Collections and documents for programs."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from documents.models import Document
from documents.worker import work_through
from tests.conftest import Cast
from tests.documents.api.conftest import Program, ProgramFor
from tests.documents.making import add_version, go_live, live_version, make_document
from tests.fakes.openai_server import OpenAIServer

OWNER = "owner"


def refs(answer: Any) -> list[str]:
    return [row["ref"] for row in answer.json()["results"]]


def names(answer: Any) -> list[str]:
    return [row["name"] for row in answer.json()["results"]]


def test_a_program_sees_its_owners_collections(cast: Cast, program: ProgramFor) -> None:
    seen = {user.name: names(program(user, "read").get("/collections/")) for user in (cast.ada, cast.dot, cast.cy)}
    narrowed = names(program(cast.ada, "read", collections=[cast.shared(cast.north)]).get("/collections/"))
    may_edit = [row["may_edit"] for row in program(cast.dot, "read").get("/collections/").json()["results"]]

    assert {name: sorted(found) for name, found in seen.items()} == {
        "Ada": ["My documents", "Shared"],
        "Dot": ["My documents", "Shared"],
        "Cy": ["My documents", "Shared"],
    }
    assert narrowed == ["Shared"]
    assert sorted(may_edit) == [False, True]


def test_documents_are_listed_newest_first_in_pages_and_by_filter(cast: Cast, program: ProgramFor) -> None:
    shared, own = cast.shared(cast.north), cast.private(cast.ada)
    for number in range(3):
        make_document(shared, f"{number}.md")
    make_document(own, "own.md", state="attention", problem="documents.no_text")
    make_document(shared, "gone.md", deleted_at=timezone.now())
    make_document(cast.private(cast.ben), "bens.md")
    ada = program(cast.ada, "read")

    first = ada.get("/documents/?limit=3")
    second = ada.get(first.json()["next"].partition("/api/v1")[2])

    assert (names(first), names(second)) == (["own.md", "2.md", "1.md"], ["0.md"])
    assert names(ada.get(f"/documents/?collection={own.ref}")) == ["own.md"]
    assert names(ada.get("/documents/?state=ready")) == ["2.md", "1.md", "0.md"]
    assert names(ada.get(f"/documents/?collection={cast.private(cast.ben).ref}")) == []
    assert ada.get("/documents/?state=none-such").status_code == 400


def test_an_upload_is_taken_with_its_document_and_job(cast: Cast, program: ProgramFor) -> None:
    shared = cast.shared(cast.north)

    answer = program(cast.ben).upload(
        "index.md", b"# Hello", collection=shared.ref, path="docs/index.md", source_url="https://example.org/docs"
    )

    body = answer.json()
    assert answer.status_code == 202
    assert (body["outcome"], body["version"]) == ("accepted", 1)
    document = body["document"]
    assert {key: document[key] for key in ("name", "collection", "source_url", "state", "version", "reason")} == {
        "name": "docs/index.md",
        "collection": shared.ref,
        "source_url": "https://example.org/docs",
        "state": "queued",
        "version": None,
        "reason": None,
    }
    assert (document["job"]["kind"], document["job"]["state"]) == ("ingest", "queued")


def test_an_upload_without_a_collection_goes_to_the_own_one_and_again_is_a_duplicate(
    cast: Cast, program: ProgramFor
) -> None:
    dot = program(cast.dot)

    first, again = dot.upload("a.md", b"# Hello"), dot.upload("a.md", b"# Hello")

    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["document"]["collection"] == cast.private(cast.dot).ref
    assert (again.json()["outcome"], again.json()["version"]) == ("duplicate", None)


@pytest.mark.parametrize(
    ("name", "body", "status", "code"),
    [
        ("a.md", b"", 422, "documents.empty"),
        ("a.exe", b"MZ\x90\x00\x03" * 20, 415, "documents.unsupported"),
        ("a.pdf", b"# no PDF", 415, "documents.mislabelled"),
        ("a.md", b"x" * 2_000_000, 413, "documents.too_large"),
    ],
)
def test_a_refused_upload_is_a_problem_in_words_and_stores_nothing(
    cast: Cast, program: ProgramFor, settings: Any, name: str, body: bytes, status: int, code: str
) -> None:
    settings.MAX_UPLOAD_BYTES = 1_048_576

    answer = program(cast.ada).upload(name, body)

    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert (answer.json()["code"], answer.json()["status"]) == (code, status)
    assert not Document.objects.using(OWNER).exists()


def test_a_malformed_upload_names_the_field(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)

    nothing = ada.post("/documents/", path="x")
    script = ada.upload("a.md", b"# A", source_url="javascript:alert(1)")
    as_json = ada.post("/documents/", {"file": "text"})

    assert (nothing.status_code, list(nothing.json()["errors"])) == (400, ["file"])
    assert (script.status_code, list(script.json()["errors"])) == (400, ["source_url"])
    assert (as_json.status_code, list(as_json.json()["errors"])) == (400, ["file"])


def test_a_document_is_read_to_its_end_and_its_chunks_and_versions_are_there(
    cast: Cast, program: ProgramFor, toy_model: OpenAIServer
) -> None:
    ada = program(cast.ada)
    ref = ada.upload("a.md", b"# Logs\n\nAccess logs are kept for 90 days.\n").json()["document"]["ref"]

    work_through()
    document, chunks = ada.get(f"/documents/{ref}/").json(), ada.get(f"/documents/{ref}/chunks/").json()["results"]
    [version] = ada.get(f"/documents/{ref}/versions/").json()["results"]

    assert (document["state"], document["version"], document["job"]["state"]) == ("ready", 1, "done")
    assert document["vectors"] == document["chunks"] == len(chunks) > 0
    assert [chunk["number"] for chunk in chunks] == list(range(1, len(chunks) + 1))
    assert "Access logs are kept for 90 days." in chunks[-1]["text"]
    assert (version["number"], version["is_live"], version["report"]["parser"]) == (1, True, "markdown-it")


def test_chunks_of_an_older_version_are_named_by_it(cast: Cast, program: ProgramFor) -> None:
    document = make_document(cast.shared(cast.north), "a.md", passages=["old"])
    old = live_version(document)
    go_live(document, add_version(document, passages=["new", "newer"], number=2, body=b"two"))
    other = live_version(make_document(cast.shared(cast.north), "b.md"))
    dot = program(cast.dot, "read")

    def texts(query: str = "") -> list[str]:
        return [row["text"] for row in dot.get(f"/documents/{document.ref}/chunks/{query}").json()["results"]]

    assert texts() == ["new", "newer"]
    assert texts(f"?version={old.ref}") == ["old"]
    assert dot.get(f"/documents/{document.ref}/chunks/?version={other.ref}").status_code == 404


def test_a_document_that_needs_attention_says_why_and_is_read_again(cast: Cast, program: ProgramFor) -> None:
    document = make_document(cast.shared(cast.north), "a.md", state="attention", problem="documents.password")
    ben = program(cast.ben)

    before = ben.get(f"/documents/{document.ref}/").json()
    answer = ben.post(f"/documents/{document.ref}/retry/")

    assert before["reason"] == {
        "code": "documents.password",
        "title": "The file is locked with a password.",
        "detail": "",
        "advice": "It is stored but unread. Upload a version without the password.",
    }
    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["job"]["state"], answer.json()["reason"]) == (
        "queued",
        "queued",
        None,
    )


def test_a_deleted_document_is_gone_at_once(cast: Cast, program: ProgramFor) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    ben = program(cast.ben)

    deleted = ben.delete(f"/documents/{document.ref}/")

    assert deleted.status_code == 204
    assert ben.get(f"/documents/{document.ref}/").status_code == 404
    assert ben.get(f"/documents/{document.ref}/chunks/").status_code == 404
    assert names(ben.get("/documents/")) == []


ROUTES = [
    ("GET", "", "read"),
    ("DELETE", "", "ingest"),
    ("POST", "retry/", "ingest"),
    ("GET", "versions/", "read"),
    ("GET", "chunks/", "read"),
]


@pytest.mark.parametrize(("method", "rest", "scope"), ROUTES)
def test_every_document_route_refuses_all_but_its_rightful_program(
    cast: Cast, program: ProgramFor, method: str, rest: str, scope: str
) -> None:
    document = make_document(cast.private(cast.ada), "canary.md", passages=["the canary sings"])
    path = f"/documents/{document.ref}/{rest}"
    wrong = {"read": "ingest", "ingest": "read"}[scope]

    none = Program("").call(method, path)
    forged = Program(program(cast.ada, scope).key[:-1] + "~").call(method, path)
    unscoped = program(cast.ada, wrong, "ask").call(method, path)
    others = [program(user).call(method, path) for user in (cast.ben, cast.root, cast.cy)]
    narrowed = program(cast.ada, collections=[cast.shared(cast.north)]).call(method, path)
    never = program(cast.cy).call(method, f"/documents/0123456789abcdef01/{rest}")
    mine = program(cast.ada, scope).call(method, path)

    assert (none.status_code, none.json()["code"], none.headers["WWW-Authenticate"]) == (401, "portal.no_key", "Bearer")
    assert (forged.status_code, forged.json()["code"]) == (401, "portal.no_key")
    assert (unscoped.status_code, unscoped.json()["code"]) == (403, "portal.key_scope")
    assert unscoped.json()["detail"] == f"It needs the scope “{scope}”."
    assert [answer.status_code for answer in (*others, narrowed, never)] == [404] * 5
    assert {answer.content for answer in (*others, narrowed)} == {never.content}
    assert all(b"canary" not in answer.content for answer in (none, forged, unscoped, *others, narrowed))
    assert mine.status_code in (200, 202, 204)


def test_a_reader_changes_nothing_and_is_told_so(cast: Cast, program: ProgramFor) -> None:
    shared = cast.shared(cast.north)
    document = make_document(shared, "a.md", state="attention", problem="documents.broken")
    dot = program(cast.dot)

    answers = [
        dot.delete(f"/documents/{document.ref}/"),
        dot.post(f"/documents/{document.ref}/retry/"),
        dot.upload("b.md", b"# B", collection=shared.ref),
    ]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(403, "portal.read_only")] * 3
    assert Document.objects.using(OWNER).filter(deleted_at__isnull=True, state="attention").count() == 1
    hidden = dot.upload("b.md", b"# B", collection=cast.private(cast.ada).ref)
    assert (hidden.status_code, hidden.json()["code"]) == (404, "portal.not_found")


def test_a_full_queue_is_429_with_the_time_to_come_back(cast: Cast, program: ProgramFor, settings: Any) -> None:
    settings.MAX_WAITING_FILES = 1
    ben = program(cast.ben)
    ben.upload("a.md", b"# A\n\nWords.\n")

    answer = ben.upload("b.md", b"# B\n\nWords.\n")

    assert (answer.status_code, answer.json()["code"]) == (429, "documents.queue_full")
    assert answer.headers["Retry-After"] == "60"
    assert "1 of them are in line" in answer.json()["detail"]
