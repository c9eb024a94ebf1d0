"""`POST /api/answer`: JSON, or events when asked; once for each Idempotency-Key; ended when its reader is gone."""

from __future__ import annotations

import http.client
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx
import openai
import pytest

from answers.models import Answer, LiveAnswer, Question
from tests.answers.conftest import Name
from tests.documents.ingest.conftest import Shelf
from tests.fakes.model_server import Endless, Gated, ModelServer
from tests.typed.conftest import ASKED, KeyFor

OWNER = "owner"


def events_of(body: str) -> list[tuple[str, dict[str, Any]]]:
    """(name, data) of each event."""
    found = []
    for block in body.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_an_answer_as_json(http: httpx.Client, shelf: Shelf) -> None:
    done = http.post("/api/answer", json={"question": ASKED})

    body = done.json()
    [citation] = body["citations"]
    answer = Answer.objects.using(OWNER).get()
    assert (done.status_code, done.headers["Content-Type"]) == (200, "application/json")
    assert done.headers["Location"] == f"/api/answer/{answer.ref}"
    assert (body["ref"], body["outcome"], body["verdict"]) == (answer.ref, "answered", "supported")
    assert body["text"] == "E4304 means the motor is too hot. [1]"
    assert citation["title"] == "Pump guide" and "E4304" in citation["snippet"]
    assert body["timings_ms"]["search"] >= 0 and body["cost_usd"] == 0
    assert body["created_at"].endswith("Z") or "+00:00" in body["created_at"]
    assert not LiveAnswer.objects.using(OWNER).exists()


@pytest.mark.parametrize("how", ["accept", "body"])
def test_the_same_answer_as_events_with_one_meta_last(http: httpx.Client, how: str) -> None:
    more = {"stream": True} if how == "body" else {}
    headers = {"Accept": "text/event-stream"} if how == "accept" else {}

    done = http.post("/api/answer", json={"question": ASKED, **more}, headers=headers)

    events = events_of(done.text)
    names = [name for name, _ in events]
    text = ""
    for name, data in events:
        text = "" if name == "void" else text + data.get("text", "") if name == "token" else text
    assert done.headers["Content-Type"] == "text/event-stream"
    assert names[0] == "stage" and names[-1] == "meta" and names.count("meta") == 1
    assert events[-1][1]["text"] == text
    assert {"citations", "timings_ms", "tokens_in", "cost_usd", "verdict"} <= set(events[-1][1])
    assert done.headers["Location"].endswith(f"/{events[-1][1]['ref']}")


REFUSED: tuple[tuple[Any, int, str], ...] = (
    ({"question": ""}, 422, "answers.question_empty"),
    ({"question": "?!"}, 422, "answers.question_without_words"),
    ({"question": "x" * 5_000}, 422, "answers.question_too_long"),
    ({"question": ASKED, "collections": []}, 422, "answers.no_collection"),
    ({"question": ASKED, "collections": ["0" * 18]}, 422, "answers.no_collection"),
    ({"question": "x" * 100_001}, 400, "portal.invalid"),
    ({}, 400, "portal.invalid"),
)


def test_what_is_no_question_is_refused_in_words_and_not_counted(http: httpx.Client) -> None:
    answers = [http.post("/api/answer", json=body) for body, _, _ in REFUSED]

    assert [(one.status_code, one.json()["code"]) for one in answers] == [(status, code) for _, status, code in REFUSED]
    assert {one.headers["Content-Type"] for one in answers} == {"application/problem+json"}
    assert not [one for one in answers if "RateLimit-Limit" in one.headers]
    assert not Question.objects.using(OWNER).exists()


def test_a_question_sent_again_with_its_key_is_not_asked_again(http: httpx.Client) -> None:
    key = {"Idempotency-Key": "k"}

    first = http.post("/api/answer", json={"question": ASKED}, headers=key)
    again = http.post("/api/answer", json={"question": ASKED}, headers=key)
    streamed = http.post("/api/answer", json={"question": ASKED}, headers={**key, "Accept": "text/event-stream"})
    other = http.post("/api/answer", json={"question": "What is cleaned monthly?"}, headers=key)

    assert again.json() == first.json()
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert events_of(streamed.text)[-1][1]["ref"] == first.json()["ref"]
    assert (other.status_code, other.json()["code"]) == (422, "portal.key_reused")
    assert Question.objects.using(OWNER).count() == 1


def test_a_refused_question_leaves_its_key_free(http: httpx.Client) -> None:
    key = {"Idempotency-Key": "k"}
    body = {"question": ASKED, "collections": ["0" * 18]}

    answers = [http.post("/api/answer", json=body, headers=key).status_code for _ in range(2)]

    assert answers == [422, 422]


def test_equal_questions_at_once_with_one_key_are_one_answer(
    http: httpx.Client, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)

    def post(_: int) -> httpx.Response:
        return http.post("/api/answer", json={"question": ASKED}, headers={"Idempotency-Key": "k"})

    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(post, range(20)))

    assert {answer.status_code for answer in answers} <= {200, 409}
    assert len({answer.json()["ref"] for answer in answers if answer.status_code == 200}) == 1
    assert len(model.calls) == 1


def test_a_kept_answer_is_read_again_and_its_events_go_on_from_where_they_broke_off(http: httpx.Client) -> None:
    first = http.post("/api/answer", json={"question": ASKED}, headers={"Accept": "text/event-stream"})
    place = re.findall(r"^id: (\S+)$", first.text, re.MULTILINE)[-1]
    address = first.headers["Location"]
    events = {"Accept": "text/event-stream"}

    whole = http.get(address)
    again = events_of(http.get(address, headers=events).text)
    rest = events_of(http.get(address, headers={**events, "Last-Event-ID": place}).text)

    meta = events_of(first.text)[-1][1]
    assert whole.json()["text"] == meta["text"] and whole.json()["question"] == ASKED
    assert [name for name, _ in again] == ["token", "meta"]
    assert [name for name, _ in rest] == ["meta"]
    nothing = http.get("/api/answer/nothing")
    assert (nothing.status_code, nothing.headers["Content-Type"]) == (404, "application/problem+json")


def test_a_lost_stream_is_followed_to_the_end_and_asks_no_model_again(
    http: httpx.Client, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model, idle_s=20.0, total_s=20.0)
    model.script(Gated(("E4304 means the motor ", "is too hot [1].")))
    events = {"Accept": "text/event-stream"}

    with http.stream("POST", "/api/answer", json={"question": ASKED}, headers=events) as lost:
        next(line for line in lost.iter_lines() if "E4304 means" in line)
        address = lost.headers["Location"]
    model.let_go()
    body = http.get(address).json()

    assert body["text"] == "E4304 means the motor is too hot [1]."
    assert len(model.calls) == 1


def test_a_running_answer_is_stopped_and_what_was_written_is_kept(
    http: httpx.Client, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model, idle_s=20.0, total_s=20.0)
    model.usually = Endless("The motor is too hot [1]. ", every_s=0.05)
    events = {"Accept": "text/event-stream"}

    with http.stream("POST", "/api/answer", json={"question": ASKED}, headers=events) as running:
        lines = running.iter_lines()
        next(line for line in lines if "too hot" in line)
        told = http.post(f"{running.headers['Location']}/stop")
        rest = "\n".join(lines)
    again = http.post(f"{running.headers['Location']}/stop")

    meta = events_of(rest)[-1]
    assert (told.status_code, told.content, again.status_code) == (204, b"", 204)
    assert (meta[0], meta[1]["outcome"]) == ("meta", "stopped")
    assert meta[1]["text"].startswith("The motor is too hot")
    nothing = http.post("/api/answer/nothing/stop")
    assert (nothing.status_code, nothing.json()["code"]) == (404, "portal.not_found")


def test_a_follow_up_is_completed_from_the_question_before(http: httpx.Client) -> None:
    first = http.post("/api/answer", json={"question": "How often is the inlet filter cleaned?"}).json()
    second = http.post("/api/answer", json={"question": "And why?", "previous": first["ref"]}).json()
    gone = http.post("/api/answer", json={"question": "And why?", "previous": "0" * 18})

    assert (second["typed"], second["completed_by"]) == ("And why?", "rules")
    assert "filter" in second["question"]
    assert second["conversation"] == first["question_ref"] == first["conversation"]
    assert (gone.status_code, gone.json()["code"]) == (422, "answers.no_previous")


def wait_for(claim: Any, within_s: float) -> float:
    started = time.monotonic()
    while not claim():
        assert time.monotonic() - started < within_s
        time.sleep(0.05)
    return time.monotonic() - started


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/answer"])
def test_a_dropped_connection_ends_the_call_to_the_model(
    site: str, key_for: KeyFor, model: ModelServer, operator_names: Name, path: str
) -> None:
    operator_names(model, idle_s=20.0, total_s=30.0)
    model.usually = Endless()
    connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=10)
    body = {"model": "footnote", "messages": [{"role": "user", "content": ASKED}], "question": ASKED}
    headers = {"Authorization": f"Bearer {key_for()}", "Content-Type": "application/json"}
    connection.request("POST", path, json.dumps({**body, "stream": path.startswith("/v1/")}), headers)
    wait_for(lambda: model.calls and model.calls[0].sent, 5)

    connection.close()

    took_s = wait_for(model.calls[0].hung_up.is_set, 15)
    assert took_s < 5
    wait_for(lambda: not LiveAnswer.objects.using(OWNER).exists(), 5)


def test_a_stream_s_first_words_come_before_the_model_goes_on(
    client: openai.OpenAI, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model, idle_s=20.0, total_s=20.0)
    model.script(Gated(("E4304 means the motor ", "is too hot [1].")))

    stream = client.chat.completions.create(
        model="footnote", messages=[{"role": "user", "content": ASKED}], stream=True
    )
    first = next(chunk for chunk in stream if chunk.choices[0].delta.content)
    sent_before = model.calls[0].sent
    model.let_go()
    rest = list(stream)

    assert first.choices[0].delta.content is not None and "too hot" not in first.choices[0].delta.content
    assert sent_before == 1
    assert sum(bool(chunk.choices[0].finish_reason) for chunk in rest) == 1


def test_another_s_documents_are_not_answered_from(http: httpx.Client, shelf: Shelf) -> None:
    shelf.put_and_read("secret.md", "# Vault\n\nE9999 means the vault is open.\n", user=shelf.cast.cy)

    done = http.post("/api/answer", json={"question": "What does E9999 mean?"})

    assert done.json()["outcome"] == "declined"
    assert "vault" not in done.text
