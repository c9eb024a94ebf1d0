"""OpenTelemetry: a question as a span with one child per stage, named by the GenAI conventions, content off.

The spans are made from the record when the question is over: no library is woven into the walk. Langfuse takes the same spans
at its OTLP endpoint (langfuse.com/integrations/native/opentelemetry), so it needs no package of its own.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

WALK = (
    *("validate", "guard", "fingerprint", "rewrite", "cache", "embed", "search", "gates", "write", "audit", "persist"),
)
TIMEOUT_S = 5
Attributes = dict[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Target:
    """An OTLP/HTTP traces endpoint, whole address."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


def targets() -> list[Target]:
    found = []
    if settings.OTLP_ENDPOINT:
        pairs = (pair.partition("=") for pair in settings.OTLP_HEADERS)
        headers = {name.strip(): value.strip() for name, _, value in pairs}
        found.append(Target(f"{settings.OTLP_ENDPOINT.rstrip('/')}/v1/traces", headers))
    if settings.LANGFUSE_HOST:
        keys = f"{settings.LANGFUSE_PUBLIC_KEY}:{settings.LANGFUSE_SECRET_KEY}"
        basic = base64.b64encode(keys.encode()).decode()
        headers = {"Authorization": f"Basic {basic}", "x-langfuse-ingestion-version": "4"}
        found.append(Target(f"{settings.LANGFUSE_HOST.rstrip('/')}/api/public/otel/v1/traces", headers))
    return found


class Spans:
    def __init__(self, targets: Sequence[Target]) -> None:
        self._provider = TracerProvider(resource=Resource.create({"service.name": "footnote"}))
        for target in targets:
            exporter = OTLPSpanExporter(endpoint=target.url, headers=dict(target.headers), timeout=TIMEOUT_S)
            self._provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=2000))
        self._tracer = self._provider.get_tracer("footnote")

    def take(self, record: logging.LogRecord) -> None:
        fields = getattr(record, "fields", None)
        if fields is None or record.getMessage() != "ask.done":
            return
        ended_ns = int(record.created * 1e9)
        begun_ns = ended_ns - int(fields["total_ms"] * 1e6)
        root = self._tracer.start_span("invoke_workflow ask", start_time=begun_ns, attributes=of_question(fields))
        context = trace.set_span_in_context(root)
        at_ns = begun_ns
        for name, kind, attributes, ms in of_stages(fields):
            span = self._tracer.start_span(name, context=context, kind=kind, start_time=at_ns, attributes=attributes)
            at_ns += int(ms * 1e6)
            span.end(at_ns)
        root.end(max(ended_ns, at_ns))

    def close(self) -> None:
        self._provider.force_flush(TIMEOUT_S * 1000)
        self._provider.shutdown()


def of_question(fields: Mapping[str, Any]) -> Attributes:
    own = (
        "q_hash",
        "q_len",
        "answer",
        "outcome",
        "reason",
        "verdict",
        "mode",
        "prompt_version",
        "passages",
        "searched",
    )
    found: Attributes = {
        f"footnote.{name}": fields[name] for name in (*own, "cost_usd", "guard", "notes") if name in fields
    }
    return {"gen_ai.operation.name": "invoke_workflow", **found, **_usage(fields)}


def of_stages(fields: Mapping[str, Any]) -> Iterator[tuple[str, trace.SpanKind, Attributes, float]]:
    """(name, kind, attributes, ms) of each stage that was walked, in order."""
    for stage in WALK:
        ms = fields.get(f"{stage}_ms")
        if ms is None:
            continue
        if stage == "embed":
            model = fields.get("embedder", "")
            attributes: Attributes = {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": model}
            yield f"embeddings {model}".strip(), trace.SpanKind.CLIENT, attributes, ms
        elif stage == "search":
            attributes = {
                "gen_ai.operation.name": "retrieval",
                "gen_ai.data_source.id": "footnote",
                "footnote.vector_search_ms": fields.get("vector_search_ms", 0.0),
                "footnote.word_search_ms": fields.get("word_search_ms", 0.0),
                "footnote.searched": fields.get("searched", 0),
            }
            yield "retrieval footnote", trace.SpanKind.INTERNAL, attributes, ms
        elif stage == "write" and fields.get("model"):
            yield f"chat {fields['model']}", trace.SpanKind.CLIENT, _of_chat(fields), ms
        else:
            yield stage, trace.SpanKind.INTERNAL, {}, ms


def _of_chat(fields: Mapping[str, Any]) -> Attributes:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": fields.get("provider") or "unknown",
        "gen_ai.request.model": fields["model"],
        "gen_ai.output.type": "text",
        "gen_ai.response.time_to_first_chunk": fields.get("first_token_ms", 0) / 1000,
        **_usage(fields),
    }


def _usage(fields: Mapping[str, Any]) -> Attributes:
    if not fields.get("model"):
        return {}
    return {
        "gen_ai.usage.input_tokens": fields.get("tokens_in", 0),
        "gen_ai.usage.output_tokens": fields.get("tokens_out", 0),
    }
