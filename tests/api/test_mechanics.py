"""What every route of the API does alike: keys of repeats, tags, orders, pages, problems."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from documents.models import Document, IngestJob, Version
from portal.models import IdempotencyKey
from portal.problems import UserProblem
from portal.scope import Scope, principal
from tests.conftest import Cast
from tests.documents.api.conftest import Program, ProgramFor
from tests.documents.making import make_document, upload_of
from tests.fakes.openai_server import OpenAIServer

OWNER = "owner"


def send(program: Program, method: str, path: str, body: Any = None, **headers: str) -> Any:
    every = {
        "Authorization": f"Bearer {program.key}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    data = json.dumps(body) if body is not None else ""
    return Client().generic(method, f"/api/v1{path}", data, content_type="application/json", headers=every)


def put(program: Program, name: str, text: bytes, key: str) -> Any:
    headers = {"Authorization": f"Bearer {program.key}", "Idempotency-Key": key}
    return Client().post("/api/v1/documents/", {"file": upload_of(name, text)}, headers=headers)


def test_fifty_equal_posts_at_once_with_one_key_make_one_document(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)

    def post(number: int) -> tuple[int, str]:
        try:
            answer = put(ada, "one.md", b"# One\n\nThe very same.\n", "k-1")
            return answer.status_code, answer.json().get("code", "")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(25) as threads:
        answers = Counter(threads.map(post, range(50)))

    assert set(answers) <= {(202, ""), (409, "portal.key_in_use")}
    assert answers[202, ""] >= 1
    made = [model.objects.using(OWNER).count() for model in (Document, Version, IngestJob)]
    assert made == [1, 1, 1]


def test_a_repeat_hears_what_became_of_the_first_and_does_nothing(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)

    first = put(ada, "a.md", b"# A\n\nWords.\n", "k")
    again = put(ada, "a.md", b"# A\n\nWords.\n", "k")
    unkeyed = ada.upload("a.md", b"# A\n\nWords.\n")

    assert (first.status_code, again.status_code, unkeyed.status_code) == (202, 202, 200)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Location"] == first.headers["Location"]
    assert Version.objects.using(OWNER).count() == 1


def test_one_key_is_for_one_request_of_one_program(cast: Cast, program: ProgramFor) -> None:
    ada, ben = program(cast.ada), program(cast.ben)

    put(ada, "a.md", b"# A\n\nWords.\n", "k")
    other_bytes = put(ada, "a.md", b"# A\n\nOther words.\n", "k")
    other_path = send(ada, "POST", "/collections/", {"name": "x", "kind": "shared"}, Idempotency_Key="k")
    of_ben = put(ben, "a.md", b"# A\n\nWords.\n", "k")

    assert [answer.json()["code"] for answer in (other_bytes, other_path)] == ["portal.key_reused"] * 2
    assert (of_ben.status_code, "Idempotency-Replayed" in of_ben.headers) == (202, False)


def test_a_failure_is_not_kept(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)
    body = {"name": "Shelf", "kind": "granted"}

    refused = send(program(cast.dot), "POST", "/collections/", body, Idempotency_Key="k")
    wrong = send(ada, "POST", "/collections/", {"name": ""}, Idempotency_Key="k")
    right = send(ada, "POST", "/collections/", body, Idempotency_Key="k")
    again = send(ada, "POST", "/collections/", body, Idempotency_Key="k")

    assert [answer.status_code for answer in (refused, wrong, right, again)] == [403, 400, 201, 201]
    assert again.json() == right.json()
    assert IdempotencyKey.objects.using(OWNER).count() == 1


def test_what_is_kept_of_a_request_holds_no_content(cast: Cast, program: ProgramFor, toy_model: OpenAIServer) -> None:
    ada = program(cast.ada)

    asked = send(ada, "POST", "/questions/", {"question": "Is the zebra striped?"}, Idempotency_Key="secret-key")
    again = send(ada, "POST", "/questions/", {"question": "Is the zebra striped?"}, Idempotency_Key="secret-key")

    kept = IdempotencyKey.objects.using(OWNER).get()
    assert again.json() == asked.json()
    assert kept.body == {"answer": asked.json()["answer"]["ref"]}
    assert "zebra" not in str(vars(kept))
    assert "secret-key" not in str(vars(kept))
    assert len(ada.get("/questions/").json()["results"]) == 1


def test_a_claim_that_was_lost_with_its_process_is_taken_over(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)
    put(ada, "a.md", b"# A\n\nWords.\n", "k")
    rows = IdempotencyKey.objects.using(OWNER)

    rows.update(status=None)
    in_use = put(ada, "a.md", b"# A\n\nWords.\n", "k")
    rows.update(status=None, created_at=timezone.now() - timedelta(minutes=3))
    taken_over = put(ada, "a.md", b"# A\n\nWords.\n", "k")

    assert (in_use.status_code, in_use.json()["code"]) == (409, "portal.key_in_use")
    assert taken_over.status_code == 200


def test_a_key_is_forgotten_after_a_day(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)
    put(ada, "a.md", b"# A\n\nWords.\n", "k")
    IdempotencyKey.objects.using(OWNER).update(created_at=timezone.now() - timedelta(hours=25))

    answer = put(ada, "b.md", b"# B\n\nOther words.\n", "k")

    assert answer.status_code == 202
    assert IdempotencyKey.objects.using(OWNER).count() == 1


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_of_the_wrong_length_is_refused(cast: Cast, program: ProgramFor, key: str) -> None:
    answer = send(program(cast.ada), "POST", "/collections/", {"name": "x", "kind": "shared"}, Idempotency_Key=key)

    assert (answer.status_code, answer.json()["code"]) == (400, "portal.key_malformed")


def test_another_key_of_the_same_person_does_not_see_the_row(cast: Cast, program: ProgramFor) -> None:
    one, two = program(cast.ada), program(cast.ada)
    put(one, "a.md", b"# A\n\nWords.\n", "k")
    kept = IdempotencyKey.objects.using(OWNER).get()

    def seen(api_key_id: int | None) -> int:
        scope = Scope(cast.north.pk, cast.ada.pk, api_key_id=api_key_id)
        with principal(scope):
            return int(IdempotencyKey.objects.unscoped(reason="the policy alone").using("default").count())

    from portal.models import ApiKey

    other = ApiKey.objects.using(OWNER).get(ref=two.key.split("_")[1])
    assert (seen(kept.api_key_id), seen(other.pk), seen(None)) == (1, 0, 0)


def test_a_change_needs_the_state_that_it_was_decided_on(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)
    ref = cast.shared(cast.north).ref
    read = send(ada, "GET", f"/collections/{ref}/")
    tag = read.headers["ETag"]

    first = send(ada, "PATCH", f"/collections/{ref}/", {"name": "One"}, If_Match=tag)
    late = send(ada, "PATCH", f"/collections/{ref}/", {"name": "Two"}, If_Match=tag)
    fresh = send(ada, "PATCH", f"/collections/{ref}/", {"name": "Two"}, If_Match=first.headers["ETag"])
    whatever = send(ada, "PATCH", f"/collections/{ref}/", {"name": "Three"}, If_Match="*")

    assert (first.status_code, late.status_code, fresh.status_code, whatever.status_code) == (200, 412, 200, 200)
    assert late.json()["code"] == "portal.changed_meanwhile"
    assert send(ada, "GET", f"/collections/{ref}/").json()["name"] == "Three"


def test_a_deletion_with_an_old_tag_deletes_nothing(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)
    document = make_document(cast.shared(cast.north), "a.md")

    stale = send(ada, "DELETE", f"/documents/{document.ref}/", If_Match='"0"')
    tag = send(ada, "GET", f"/documents/{document.ref}/").headers["ETag"]
    right = send(ada, "DELETE", f"/documents/{document.ref}/", If_Match=tag)

    assert (stale.status_code, right.status_code) == (412, 204)


def test_two_changes_at_once_with_one_tag_make_one_change(cast: Cast, program: ProgramFor) -> None:
    ada, ref = program(cast.ada), cast.shared(cast.north).ref
    tag = send(ada, "GET", f"/collections/{ref}/").headers["ETag"]

    def rename(name: str) -> int:
        try:
            return int(send(ada, "PATCH", f"/collections/{ref}/", {"name": name}, If_Match=tag).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as threads:
        statuses = Counter(threads.map(rename, [f"name {n}" for n in range(12)]))

    assert statuses == {200: 1, 412: 11}


def test_who_has_it_already_gets_no_body(cast: Cast, program: ProgramFor) -> None:
    ada, ref = program(cast.ada), cast.shared(cast.north).ref
    tag = send(ada, "GET", f"/collections/{ref}/").headers["ETag"]

    known = send(ada, "GET", f"/collections/{ref}/", If_None_Match=f'"other", W/{tag}')
    unknown = send(ada, "GET", f"/collections/{ref}/", If_None_Match='"other"')

    assert (known.status_code, known.content, known.headers["ETag"]) == (304, b"", tag)
    assert unknown.status_code == 200


@pytest.fixture
def shelf(cast: Cast) -> list[str]:
    """Five documents, oldest first."""
    return [make_document(cast.shared(cast.north), name).name for name in ("c.md", "a.md", "e.md", "b.md", "d.md")]


@pytest.mark.parametrize(
    ("order", "first"),
    [
        ("", "d.md"),
        ("?order=newest", "d.md"),
        ("?order=oldest", "c.md"),
        ("?order=name", "a.md"),
        ("?order=-name", "e.md"),
    ],
)
def test_a_list_comes_in_the_order_that_was_asked_for(
    cast: Cast, program: ProgramFor, shelf: list[str], order: str, first: str
) -> None:
    rows = program(cast.dot).get(f"/documents/{order}").json()["results"]

    assert (rows[0]["name"], {row["name"] for row in rows}) == (first, set(shelf))


@pytest.mark.parametrize("order", ["name", "updated", "oldest", "newest"])
def test_pages_of_any_order_show_every_row_once(cast: Cast, program: ProgramFor, shelf: list[str], order: str) -> None:
    dot, seen = program(cast.dot), []
    path: str | None = f"/documents/?limit=2&order={order}"

    while path:
        page = dot.get(path).json()
        seen += [row["name"] for row in page["results"]]
        path = page["next"] and page["next"].partition("/api/v1")[2]

    assert sorted(seen) == sorted(shelf)


@pytest.mark.parametrize(
    "query",
    [
        "order=password",
        "order=",
        "limit=0",
        "limit=201",
        "limit=x",
        "limit=٣",
        "cursor=x",
        "cursor=cD0AAA==",
        "state=x",
    ],
)
def test_a_query_that_means_nothing_is_refused_and_not_guessed(cast: Cast, program: ProgramFor, query: str) -> None:
    answer = program(cast.dot).get(f"/documents/?{query}")

    assert (answer.status_code, answer.json()["code"]) == (400, "portal.invalid")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert list(answer.json()["errors"]) == [query.partition("=")[0]]


def test_documents_are_filtered(cast: Cast, program: ProgramFor, shelf: list[str]) -> None:
    dot = program(cast.dot)

    def names(query: str) -> list[str]:
        return [row["name"] for row in dot.get(f"/documents/?{query}").json()["results"]]

    assert names("name=a.md") == ["a.md"]
    assert names("kind=markdown&state=ready&order=name&limit=1") == ["a.md"]
    assert names("kind=pdf") == names("created_since=2100-01-01") == []
    assert len(names("updated_since=2000-01-01T00:00:00Z")) == 5


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/nothing/", "", 404, "portal.not_found"),
        ("PUT", "/collections/", "{}", 405, "portal.method"),
        ("POST", "/search/", "{", 400, "portal.malformed"),
        ("POST", "/archives/", "{}", 415, "portal.media_type"),
        ("POST", "/documents/", "{}", 400, "portal.invalid"),
        ("POST", "/search/", "{}", 400, "portal.invalid"),
        ("GET", "/documents/%00/", "", 404, "portal.not_found"),
        ("GET", "/members/99999999999999999999999/", "", 404, "portal.not_found"),
    ],
)
def test_every_failure_is_a_problem_document(
    cast: Cast, program: ProgramFor, method: str, path: str, body: str, status: int, code: str
) -> None:
    headers = {"Authorization": f"Bearer {program(cast.ada).key}"}

    answer = Client().generic(method, f"/api/v1{path}", body, content_type="application/json", headers=headers)

    assert (answer.status_code, answer.json()["code"], answer.json()["status"]) == (status, code, status)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["type"] == f"urn:footnote:problem:{code}"


def test_a_fault_of_ours_is_a_problem_document_too_and_is_logged_without_its_message(
    cast: Cast, program: ProgramFor, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from documents import api

    def broken(scope: Scope) -> None:
        raise RuntimeError("the canary text")

    monkeypatch.setattr(api, "listed_in_pages", broken)

    answer = program(cast.ada).get("/documents/")

    assert (answer.status_code, answer.json()["code"]) == (500, "portal.failed")
    assert "canary" not in answer.content.decode() + "".join(capfd.readouterr())


def test_a_session_is_no_credential_of_the_api(cast: Cast) -> None:
    from tests.documents.making import signed_in

    answer = signed_in(cast.ada).get("/api/v1/documents/")

    assert (answer.status_code, answer.json()["code"]) == (401, "portal.no_key")


def test_only_the_known_problem_has_a_code() -> None:
    with pytest.raises(UserProblem) as raised:
        raise UserProblem("portal.key_in_use")

    assert raised.value.code == "portal.key_in_use"


def test_a_missing_slash_loses_neither_the_method_nor_the_body(cast: Cast, program: ProgramFor) -> None:
    key = program(cast.ada, "read").key
    headers = {"Authorization": f"Bearer {key}"}
    question = json.dumps({"question": "access logs"})

    first = Client().post("/api/v1/search", question, content_type="application/json", headers=headers)
    followed = Client().post("/api/v1/search", question, content_type="application/json", headers=headers, follow=True)

    assert (first.status_code, first.headers["Location"]) == (308, "/api/v1/search/")
    assert followed.status_code == 200 and "passages" in followed.json()


UNREADABLE = {
    "too large": (b'{"question": "' + b"x" * 1_000_000 + b'"}', "application/json", 413, "portal.too_large"),
    "nested": (b"[" * 100_000, "application/json", 400, "portal.malformed"),
    "cut off": (b'{"question": "logs', "application/json", 400, "portal.malformed"),
    "a long number": (b'{"question": "a", "k": ' + b"9" * 5_000 + b"}", "application/json", 400, "portal.malformed"),
    "no number": (b'{"question": "a", "k": NaN}', "application/json", 400, "portal.malformed"),
    "half a character": (b'{"question": "\\ud800 logs"}', "application/json", 400, "portal.invalid"),
    "not UTF-8": (b'{"question": "\xff\xfe"}', "application/json", 400, "portal.malformed"),
    "another charset": (b"\xff\xfe", "application/json; charset=utf-16", 400, "portal.malformed"),
    "no charset": (b'{"question": "logs"}', "application/json; charset=nonsense", None, ""),
    "many fields": (
        b"&".join(b"a%d=1" % number for number in range(1_100)),
        "application/x-www-form-urlencoded",
        400,
        "",
    ),
    "no boundary": (b"--x", "multipart/form-data", 400, "portal.malformed"),
    "a list": (b'["question"]', "application/json", 400, "portal.invalid"),
    "nothing": (b"", "application/json", 400, "portal.invalid"),
}


@pytest.mark.parametrize("path", ["/api/v1/search/", "/api/v1/questions/"])
def test_what_cannot_be_read_is_said_in_a_problem_and_never_a_fault_of_ours(
    cast: Cast, program: ProgramFor, path: str
) -> None:
    headers = {"Authorization": f"Bearer {program(cast.ada).key}"}
    told = {}

    for name, (body, kind, status, code) in UNREADABLE.items():
        browser = Client(raise_request_exception=False)
        answer = browser.generic("POST", path, body, content_type=kind, headers=headers)
        if answer.status_code >= 500 or (status or answer.status_code, code or answer.json().get("code")) != (
            answer.status_code,
            answer.json().get("code"),
        ):
            told[name] = (answer.status_code, answer.content[:200])

    assert told == {}


def test_options_are_answered_by_every_route_also_one_that_takes_put(cast: Cast, program: ProgramFor) -> None:
    ada = program(cast.ada)
    ref = cast.shared(cast.north).ref

    paths = ("/collections/", f"/collections/{ref}/profile/", f"/collections/{ref}/", "/documents/")

    assert [ada.call("OPTIONS", path).status_code for path in paths] == [200] * 4
