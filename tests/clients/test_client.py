"""The typed client against a server that answers as a test wrote down: retries, problems, pages, streams, files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import footnote_client as fc
from footnote_client.events import events_of
from footnote_client.models import decode
from tests.clients.scripted import Says, Script, scripted

KEY = "fn_000000000000000000_secret"
SEAT = {"ref": "r", "name": "North", "role": "owner"}
SHELF = {"ref": "c", "name": "Shared", "kind": "shared", "created_at": "2026-01-02T03:04:05Z", "may_edit": True}
WAIT = {"code": "portal.rate_limited", "title": "Too often.", "detail": "Wait.", "status": 429}


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as script:
        yield script


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def footnote(script: Script, slept: list[float]) -> fc.Footnote:
    return fc.Footnote(script.url, KEY, timeout_s=5, sleep=slept.append)


def page(*rows: Any, next: str | None = None) -> Says:
    return Says(body={"results": list(rows), "next": next, "previous": None})


def test_it_waits_as_long_as_the_server_says_and_no_longer_than_it_was_told(
    script: Script, footnote: fc.Footnote, slept: list[float]
) -> None:
    script.says = [Says(429, WAIT, {"Retry-After": "7"}), page(SEAT)]

    assert footnote.workspace().name == "North" and slept == [7.0]

    script.says = [Says(429, WAIT, {"Retry-After": "3600"})]
    with pytest.raises(fc.RateLimited) as refused:
        footnote.workspace()
    assert (refused.value.code, refused.value.retry_after_s, slept) == ("portal.rate_limited", 3600, [7.0])


def test_it_gives_up_after_its_retries_with_growing_pauses(
    script: Script, footnote: fc.Footnote, slept: list[float]
) -> None:
    script.says = [Says(503, b"<html>")] * 4

    with pytest.raises(fc.ServerFault) as failure:
        footnote.workspace()

    assert failure.value.status == 503 and len(script.heard) == 4
    assert len(slept) == 3 and slept[0] <= 0.5 <= slept[1] <= 1.0 <= slept[2] <= 2.0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 422, 500])
def test_what_no_retry_mends_is_sent_once(script: Script, footnote: fc.Footnote, status: int) -> None:
    kinds = {401: fc.NoKey, 403: fc.Forbidden, 404: fc.NotFound, 409: fc.Conflict, 412: fc.Changed, 500: fc.ServerFault}
    problem = {"code": "some.code", "title": "No.", "detail": "Not so.", "errors": {"k": ["99"]}}
    script.says = [Says(status, problem)]

    with pytest.raises(fc.FootnoteError, match=r"No\. Not so\. \(some\.code\)") as failure:
        footnote.search("logs")

    assert type(failure.value) is kinds.get(status, fc.Invalid) and len(script.heard) == 1
    assert not isinstance(failure.value, fc.Invalid) or failure.value.errors == {"k": ["99"]}


def test_a_post_is_repeated_under_the_same_key_of_its_own(script: Script, footnote: fc.Footnote) -> None:
    busy = Says(409, {"code": "portal.key_in_use", "title": "", "detail": ""})
    script.says = [Says(502, b""), Says(body=SHELF, cut=9), busy, Says(body=SHELF), Says(body=SHELF)]

    made, other = footnote.make_collection("Shared"), footnote.make_collection("Shared")

    keys = [heard.headers["idempotency-key"] for heard in script.heard]
    assert made == other and made.created_at.year == 2026
    assert len(set(keys[:4])) == 1 and keys[4] != keys[0]
    script.says = [Says(body=SHELF)]
    footnote.make_collection("Shared", idempotency_key="mine")
    assert script.heard[-1].headers["idempotency-key"] == "mine"


def test_a_call_that_may_not_be_repeated_is_not(script: Script, footnote: fc.Footnote) -> None:
    script.says = [Says(503, b""), Says(503, b""), Says(body={"days": 1})]

    with pytest.raises(fc.ServerFault):
        footnote.call("POST", "/keys/x/rotate/", {})

    assert footnote.call("GET", "/usage/", days=7) == {"days": 1}
    assert script.heard[-1].path == "/api/v1/usage/?days=7"


def test_pages_are_followed_on_the_portals_own_host(script: Script, footnote: fc.Footnote) -> None:
    script.says = [page(SHELF, next="https://evil.example.org/api/v1/collections/?cursor=abc%3D"), page(SHELF)]

    assert len(list(footnote.collections())) == 2

    assert script.heard[1].path == "/api/v1/collections/?cursor=abc%3D"
    assert script.heard[1].headers["authorization"] == f"Bearer {KEY}"


def test_a_portal_below_a_path_is_spoken_to_below_it(script: Script) -> None:
    below = fc.Footnote(f"{script.url}/docs/", KEY)
    script.says = [page(SHELF, next=f"{script.url}/docs/api/v1/collections/?cursor=b"), page()]

    list(below.collections())

    assert [heard.path for heard in script.heard] == ["/docs/api/v1/collections/", "/docs/api/v1/collections/?cursor=b"]


def test_a_redirect_takes_the_key_nowhere(script: Script, footnote: fc.Footnote) -> None:
    with scripted() as other:
        script.says = [Says(302, b"", {"Location": f"{other.url}/steal"})]
        with pytest.raises(fc.FootnoteError, match="302"):
            footnote.workspace()
        assert other.heard == []


def test_the_key_is_in_no_representation(footnote: fc.Footnote) -> None:
    assert "secret" not in f"{footnote!r} {footnote._transport!r}"


def test_nobody_there_is_said_so() -> None:
    nowhere = fc.Footnote("http://127.0.0.1:9", KEY, retries=1, sleep=lambda _: None)

    with pytest.raises(fc.Unreachable, match=r"does not answer.*client\.unreachable"):
        nowhere.workspace()
    with pytest.raises(ValueError, match="https"):
        fc.Footnote("footnote.example.org", KEY)


def test_a_file_is_sent_in_pieces_and_anew_when_it_is_sent_again(
    script: Script, footnote: fc.Footnote, tmp_path: Path
) -> None:
    file = tmp_path / 'od"d.md'
    file.write_bytes(b"x" * 100_000)
    script.says = [Says(503, b""), Says(404, {"code": "portal.not_found", "title": "", "detail": ""})]

    with pytest.raises(fc.NotFound):
        footnote.upload(file, collection="abc", path="ä/od.md")

    first, second = (heard.body for heard in script.heard)
    assert first == second and first.count(b"x" * 100_000) == 1
    assert b'name="collection"\r\n\r\nabc\r\n' in first and 'name="path"\r\n\r\nä/od.md\r\n'.encode() in first
    assert b'filename="od%22d.md"' in first and b"source_url" not in first
    with pytest.raises(ValueError, match="name"):
        footnote.upload(b"words")
    with pytest.raises(FileNotFoundError):
        footnote.upload(tmp_path / "none.md")


def told(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()


def test_a_stream_that_breaks_off_is_taken_up_again_under_its_key(script: Script, footnote: fc.Footnote) -> None:
    begun = b"retry: 1500\n\n" + told("stage", '{"name": "search", "count": 3}') + told("token", '{"text": "Half"}')
    failed = (
        '{"ref": "a", "outcome": "failed", "problem": {"code": "answers.model_down", "title": "Down.", "detail": ""}}'
    )
    again = told("token", '{"text": "Half"}') + b": still writing\n\n" + told("new", "{}") + told("meta", failed)
    script.says = [Says(body=begun + b"data: {", cut=None), Says(body=again)]
    events: list[Any] = []

    with pytest.raises(fc.AnswerFailed) as failure:
        events.extend(footnote.stream("How long?"))
    first = len(events)
    script.says = [Says(body=begun)] * 3
    with pytest.raises(fc.Unreachable):
        events.extend(footnote.stream("How long?"))

    assert failure.value.code == "answers.model_down"
    half = [fc.Stage("search", 3), fc.Token("Half"), fc.Void()]
    assert events[:first] == [*half, fc.Token("Half")] and events[first:] == half * 3
    keys = [heard.headers["idempotency-key"] for heard in script.heard]
    assert keys[0] == keys[1] != keys[2] == keys[3] == keys[4]


def test_the_events_of_a_broken_stream_say_that_the_text_begins_anew(script: Script, footnote: fc.Footnote) -> None:
    script.says = [Says(body=told("token", '{"text": "Half"}')), Says(body=told("token", '{"text": "Whole"}'))]
    stream = footnote.stream("How long?")

    assert [next(stream) for _ in range(3)] == [fc.Token("Half"), fc.Void(), fc.Token("Whole")]
    stream.close()  # type: ignore[attr-defined]


def test_events_are_read_across_lines_and_comments() -> None:
    lines = [b"event: token\r\n", b'data: {"text":\r\n', b'data: "a"}\r\n', b"\r\n", b": hello\n", b"\n", b"data: {"]

    assert list(events_of(lines)) == [("token", {"text": "a"})]


def test_waiting_ends_with_a_reason_or_with_the_time(script: Script, footnote: fc.Footnote, slept: list[float]) -> None:
    from dataclasses import fields

    document: dict[str, Any] = dict.fromkeys((one.name for one in fields(fc.Document)), 0)
    texts = ("ref", "name", "title", "kind", "collection", "source_url")
    document |= dict.fromkeys(texts, "a") | {"created_at": SHELF["created_at"], "updated_at": SHELF["created_at"]}
    document |= {"disabled_at": None, "job": None, "reason": None}
    reason = {"code": "documents.no_text", "title": "No text.", "detail": "", "advice": ""}
    script.says = [Says(body=document | {"state": state}) for state in ("queued", "words", "ready", "words", "reading")]
    script.says.append(Says(body=document | {"state": "attention", "reason": reason}))

    assert footnote.wait_until_ready("a").state == "ready" and len(slept) == 2
    assert footnote.wait_until_ready("a", words_suffice=True).state == "words"
    with pytest.raises(TimeoutError, match="still reading"):
        footnote.wait_until_ready("a", timeout_s=0.5)
    with pytest.raises(fc.NeedsAttention, match="No text"):
        footnote.wait_until_ready("a")


def test_what_does_not_fit_is_said_and_what_is_new_left_out() -> None:
    assert decode(fc.Workspace, SEAT | {"colour": "red"}) == fc.Workspace("r", "North", "owner")
    assert decode(fc.Scores, {"fused": 1, "similarity": None, "bm25": 2.5, "reranked": None}).fused == 1.0
    wrongs: list[Any] = [{"ref": "r"}, SEAT | {"name": 7}, [], None]
    for wrong in wrongs:
        with pytest.raises(ValueError):
            decode(fc.Workspace, wrong)
