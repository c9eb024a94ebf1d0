"""Search and questions for programs: evidence with scores and stages, answers with citations, the own history."""

from __future__ import annotations

from typing import Any

import pytest

from documents.worker import work_through
from portal.models import Collection
from tests.conftest import Cast
from tests.documents.api.conftest import Program, ProgramFor
from tests.fakes.openai_server import OpenAIServer, Status

LOGS = b"# Logging\n\n## Retention\n\nAccess logs are kept for 90 days and then deleted automatically.\n"
SECRET = b"# Canary\n\nThe canary access logs are kept in the vault.\n"
QUESTION = "How long are access logs kept?"


@pytest.fixture
def corpus(cast: Cast, program: ProgramFor, toy_model: OpenAIServer) -> dict[str, str]:
    """Refs by name: a shared document, ben's own, and one of another workspace, all read to their end."""

    def upload(user: Any, name: str, body: bytes, collection: Collection) -> str:
        answer = program(user).upload(name, body, collection=collection.ref, source_url=f"https://example.org/{name}")
        return str(answer.json()["document"]["ref"])

    refs = {
        "logs": upload(cast.ada, "logs.md", LOGS, cast.shared(cast.north)),
        "bens": upload(cast.ben, "bens.md", SECRET, cast.private(cast.ben)),
        "south": upload(cast.cy, "south.md", SECRET, cast.shared(cast.south)),
    }
    work_through()
    return refs


def test_search_returns_passages_with_scores_offsets_and_stages(
    cast: Cast, program: ProgramFor, corpus: dict[str, str]
) -> None:
    answer = program(cast.dot, "read").post("/search/", {"question": QUESTION, "k": 3})

    body = answer.json()
    assert answer.status_code == 200
    passage = next(row for row in body["passages"] if "90 days" in row["text"])
    assert (passage["document"], passage["source_url"]) == (corpus["logs"], "https://example.org/logs.md")
    assert passage["end"] - passage["start"] == len(passage["text"])
    assert passage["scores"]["bm25_rank"] == 1
    assert -1 <= passage["scores"]["similarity"] <= 1
    assert [stage["name"] for stage in body["stages"]][:4] == ["words", "meaning", "compared", "fused"]
    assert {row["document"] for row in body["passages"]} == {corpus["logs"]}


@pytest.mark.parametrize("who", ["ada", "dot", "cy"])
def test_search_finds_what_its_owner_sees_and_nothing_else(
    cast: Cast, program: ProgramFor, corpus: dict[str, str], who: str
) -> None:
    hidden = {"ada": ("bens", "south"), "dot": ("bens", "south"), "cy": ("bens", "logs")}[who]

    answer = program(getattr(cast, who), "read").post("/search/", {"question": "canary access logs vault", "k": 50})

    assert not {corpus[name] for name in hidden} & {row["document"] for row in answer.json()["passages"]}
    assert answer.json()["searched_chunks"] == len(answer.json()["passages"])


def test_search_in_hidden_collections_finds_nothing(cast: Cast, program: ProgramFor, corpus: dict[str, str]) -> None:
    ada = program(cast.ada, "read")

    def found(*collections: Collection) -> int:
        body = {"question": QUESTION, "collections": [collection.ref for collection in collections]}
        return len(ada.post("/search/", body).json()["passages"])

    assert found(cast.shared(cast.north)) > 0
    assert found(cast.private(cast.ben), cast.shared(cast.south)) == 0
    assert found() == 0


@pytest.mark.parametrize("body", [{}, {"question": " "}, {"question": "x" * 4001}, {"question": "x", "k": 51}, []])
def test_a_malformed_search_is_refused_in_words(cast: Cast, program: ProgramFor, body: Any) -> None:
    answer = program(cast.ada, "read").post("/search/", body)

    assert (answer.status_code, answer.json()["code"]) == (400, "portal.invalid")


def test_an_embedder_that_is_down_leaves_search_by_words_and_says_so(
    cast: Cast, program: ProgramFor, corpus: dict[str, str], toy_model: OpenAIServer
) -> None:
    toy_model.script(*[Status(500)] * 4)

    body = program(cast.dot, "read").post("/search/", {"question": QUESTION}).json()

    assert "90 days" in body["passages"][0]["text"]
    assert {stage["name"]: stage["note"] for stage in body["stages"]}["meaning"] == "retrieval.embedder_down"


def test_a_question_is_answered_with_citations_that_point_into_the_document(
    cast: Cast, program: ProgramFor, corpus: dict[str, str]
) -> None:
    answer = program(cast.dot, "ask").post("/questions/", {"question": QUESTION})

    body = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/v1/questions/{body['ref']}/"
    assert (body["question"], body["answer"]["outcome"]) == (QUESTION, "answered")
    assert body["answer"]["text"].endswith("kept for 90 days and then deleted automatically. [1]")
    [citation] = body["answer"]["citations"]
    assert {key: citation[key] for key in ("number", "role", "document", "version", "source_url", "is_removed")} == {
        "number": 1,
        "role": "cited",
        "document": corpus["logs"],
        "version": 1,
        "source_url": "https://example.org/logs.md",
        "is_removed": False,
    }
    chunks = program(cast.dot, "read").get(f"/documents/{corpus['logs']}/chunks/").json()["results"]
    [cited] = [chunk for chunk in chunks if chunk["id"] == citation["chunk"]]
    assert (citation["snippet"], citation["start"], citation["end"]) == (cited["text"], cited["start"], cited["end"])


def test_a_question_without_an_answer_is_declined_with_the_nearest_passages(
    cast: Cast, program: ProgramFor, corpus: dict[str, str]
) -> None:
    body = program(cast.dot, "ask").post("/questions/", {"question": "Who won the chess olympiad in Batumi?"}).json()

    assert (body["answer"]["outcome"], body["answer"]["verdict"], body["answer"]["text"]) == (
        "declined",
        "not_found",
        "",
    )
    assert {citation["role"] for citation in body["answer"]["citations"]} <= {"nearest"}


def test_what_is_no_question_is_refused_and_not_kept(cast: Cast, program: ProgramFor, corpus: dict[str, str]) -> None:
    dot = program(cast.dot, "ask")

    codes = [dot.post("/questions/", {"question": text}).json()["code"] for text in ("", "🦉", "x" * 4001)]
    hidden = dot.post("/questions/", {"question": QUESTION, "collections": [cast.private(cast.ben).ref]})

    assert codes == ["answers.question_empty", "answers.question_without_words", "answers.question_too_long"]
    assert (hidden.status_code, hidden.json()["code"]) == (422, "answers.no_collection")
    assert dot.get("/questions/").json()["results"] == []


def test_the_history_is_its_owners_alone_and_a_deleted_question_is_gone(
    cast: Cast, program: ProgramFor, corpus: dict[str, str]
) -> None:
    dot = program(cast.dot, "ask")
    ref = dot.post("/questions/", {"question": QUESTION}).json()["ref"]

    listed = dot.get("/questions/").json()["results"]
    others = [program(user).get(f"/questions/{ref}/").status_code for user in (cast.ada, cast.root, cast.cy)]
    deleting = [program(user).delete(f"/questions/{ref}/").status_code for user in (cast.ada, cast.cy)]
    again = dot.get(f"/questions/{ref}/")

    assert [(row["ref"], row["question"], row["outcome"]) for row in listed] == [(ref, QUESTION, "answered")]
    assert (others, deleting) == ([404, 404, 404], [404, 404])
    assert program(cast.ada, "ask").get("/questions/").json()["results"] == []
    assert again.json()["answer"]["citations"][0]["document"] == corpus["logs"]
    assert dot.delete(f"/questions/{ref}/").status_code == 204
    assert dot.get(f"/questions/{ref}/").status_code == 404


def test_a_deleted_source_is_neither_found_nor_quoted_any_more(
    cast: Cast, program: ProgramFor, corpus: dict[str, str]
) -> None:
    dot = program(cast.dot, "ask", "read")
    ref = dot.post("/questions/", {"question": QUESTION}).json()["ref"]

    program(cast.ada).delete(f"/documents/{corpus['logs']}/")
    kept = dot.get(f"/questions/{ref}/")
    found = dot.post("/search/", {"question": QUESTION}).json()["passages"]
    asked = dot.post("/questions/", {"question": QUESTION}).json()["answer"]

    [citation] = kept.json()["answer"]["citations"]
    assert b"90 days" not in kept.content
    assert (citation["is_removed"], citation["snippet"], citation["document"]) == (True, "", None)
    assert kept.json()["answer"]["text"] == "(source removed) [1]"
    assert (found, asked["outcome"]) == ([], "declined")


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [("POST", "/search/", "read"), ("GET", "/questions/", "ask"), ("POST", "/questions/", "ask")],
)
def test_a_key_without_the_scope_asks_nothing(
    cast: Cast, program: ProgramFor, method: str, path: str, scope: str
) -> None:
    wrong = [name for name in ("read", "ask", "ingest") if name != scope]

    none = Program("").call(method, path, {"question": QUESTION})
    unscoped = program(cast.ada, *wrong).call(method, path, {"question": QUESTION})

    assert (none.status_code, none.json()["code"]) == (401, "portal.no_key")
    assert (unscoped.status_code, unscoped.json()["code"]) == (403, "portal.key_scope")
