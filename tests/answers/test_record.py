"""The record of a question: what it holds, and that it holds nothing that was said."""

from __future__ import annotations

from typing import Any

from tests.answers.conftest import Ask

QUESTION = "What does E4304 mean for the motor?"
NUMBERS = (
    "q_len", "passages", "searched", "tokens_in", "tokens_out", "cost_usd", "first_token_ms", "total_ms",
    "validate_ms", "guard_ms", "fingerprint_ms", "embed_ms", "search_ms", "gates_ms", "write_ms", "audit_ms", "persist_ms",
    "vector_search_ms", "word_search_ms",
)  # fmt: skip


def record_of(caplog: Any) -> dict[str, Any]:
    [found] = [one for one in caplog.records if one.getMessage() == "ask.done"]
    fields: dict[str, Any] = found.fields
    return fields


def test_one_record_tells_times_counts_tokens_cost_and_outcome(ask: Ask, caplog: Any) -> None:
    caplog.set_level("INFO")
    ask(QUESTION)

    fields = record_of(caplog)

    assert all(isinstance(fields[name], int | float) for name in NUMBERS)
    assert 0 < fields["vector_search_ms"] <= fields["search_ms"] <= fields["total_ms"] + 1
    assert (fields["outcome"], fields["verdict"], fields["mode"]) == ("answered", "supported", "extractive")
    assert len(fields["q_hash"]) == 64
    assert not [value for value in fields.values() if "motor" in str(value).lower() or "E4304" in str(value)]


def test_small_talk_has_a_record_without_a_search(ask: Ask, caplog: Any) -> None:
    caplog.set_level("INFO")
    ask("Thanks!")

    fields = record_of(caplog)

    assert (fields["outcome"], fields["searched"], fields["vector_search_ms"]) == ("small_talk", 0, 0.0)
    assert "search_ms" not in fields
