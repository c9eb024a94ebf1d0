"""Traces as a collector receives them: a question and its stages by the GenAI conventions, and nothing that was said."""

from __future__ import annotations

import base64
import logging
import time
from typing import Any

import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from portal.telemetry.spans import Spans, Target, of_stages, targets
from tests.telemetry.receivers import Receiver

RECORD: dict[str, Any] = {
    "q_hash": "ab" * 32, "q_len": 35, "answer": "f" * 18, "outcome": "answered", "reason": "", "verdict": "supported",
    "mode": "extractive", "model": "", "provider": "", "prompt_version": "extractive-1", "embedder": "all-MiniLM-L6-v2",
    "passages": 6, "searched": 120, "tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0, "first_token_ms": 0,
    "guard": "", "notes": "", "total_ms": 100, "validate_ms": 1.0, "guard_ms": 1.0, "fingerprint_ms": 2.0, "embed_ms": 10.0,
    "search_ms": 40.0, "gates_ms": 1.0, "write_ms": 20.0, "audit_ms": 1.0, "persist_ms": 20.0, "vector_search_ms": 12.5,
    "word_search_ms": 8.0,
}  # fmt: skip
BY_MODEL = {
    **RECORD, "mode": "model", "model": "small-1", "provider": "near", "tokens_in": 900, "tokens_out": 80,
    "cost_usd": 0.0004, "first_token_ms": 300,
}  # fmt: skip


def event(name: str, fields: dict[str, Any] | None) -> logging.LogRecord:
    record = logging.LogRecord("answers.ask", logging.INFO, "ask.py", 1, name, (), None)
    if fields is not None:
        record.fields = fields
    record.created = time.time()
    return record


def sent(record: logging.LogRecord, **headers: str) -> Receiver:
    with Receiver() as receiver:
        spans = Spans([Target(f"{receiver.url}/v1/traces", headers)])
        spans.take(record)
        spans.close()
    return receiver


def test_a_question_is_a_span_with_a_child_for_each_stage() -> None:
    found = sent(event("ask.done", RECORD)).spans()

    [root] = [span for span in found if not span["parent"]]
    children = sorted((span for span in found if span["parent"]), key=lambda span: span["start"])
    assert [span["name"] for span in children] == [
        "validate", "guard", "fingerprint", "embeddings all-MiniLM-L6-v2", "retrieval footnote", "gates", "write", "audit",
        "persist",
    ]  # fmt: skip
    assert {span["parent"] for span in children} == {root["id"]}
    assert root["name"] == "invoke_workflow ask"
    assert root["attributes"]["footnote.outcome"] == "answered"
    assert (root["end"] - root["start"]) / 1e6 == pytest.approx(100, abs=1)
    assert (children[4]["end"] - children[4]["start"]) / 1e6 == pytest.approx(40, abs=1)
    assert "gen_ai.usage.input_tokens" not in root["attributes"]


def test_a_model_s_answer_carries_the_current_names_of_the_conventions() -> None:
    found = sent(event("ask.done", BY_MODEL)).spans()

    [chat] = [span for span in found if span["name"] == "chat small-1"]
    assert chat["attributes"] == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "near",
        "gen_ai.request.model": "small-1",
        "gen_ai.output.type": "text",
        "gen_ai.response.time_to_first_chunk": 0.3,
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 80,
    }
    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_")}
    used = {name for span in found for name in span["attributes"] if name.startswith("gen_ai.")}
    assert used <= known
    assert not used & {"gen_ai.system", "gen_ai.prompt", "gen_ai.completion", "gen_ai.input.messages"}


def test_every_operation_is_one_that_the_conventions_name() -> None:
    known = {one.value for one in gen_ai_attributes.GenAiOperationNameValues}

    used = {attributes.get("gen_ai.operation.name", "chat") for _, _, attributes, _ in of_stages(BY_MODEL)}

    assert used <= known


def test_no_other_event_is_sent() -> None:
    assert sent(event("ingest.done", {"job": 1})).log.requests == []
    assert sent(event("ask.done", None)).log.requests == []


def test_the_collector_gets_the_headers_it_asks_for() -> None:
    receiver = sent(event("ask.done", RECORD), Authorization="Bearer near")

    assert receiver.log.requests[0].headers["authorization"] == "Bearer near"
    assert receiver.log.requests[0].path == "/v1/traces"


def test_langfuse_gets_the_same_spans_at_its_own_address(settings: Any) -> None:
    settings.OTLP_ENDPOINT, settings.LANGFUSE_PUBLIC_KEY, settings.LANGFUSE_SECRET_KEY = "", "pk-1", "sk-2"
    with Receiver() as receiver:
        settings.LANGFUSE_HOST = receiver.url + "/"
        spans = Spans(targets())
        spans.take(event("ask.done", BY_MODEL))
        spans.close()

    [request] = receiver.log.requests
    assert request.path == "/api/public/otel/v1/traces"
    assert request.headers["authorization"] == "Basic " + base64.b64encode(b"pk-1:sk-2").decode()
    assert request.headers["x-langfuse-ingestion-version"] == "4"
    assert "chat small-1" in {span["name"] for span in receiver.spans()}


def test_a_collector_that_is_not_there_costs_the_question_nothing() -> None:
    spans = Spans([Target("http://127.0.0.1:9/v1/traces")])
    started = time.perf_counter()

    for _ in range(50):
        spans.take(event("ask.done", RECORD))

    assert time.perf_counter() - started < 0.5
    spans._provider.shutdown()
