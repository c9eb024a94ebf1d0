"""Passages for the rules' tests: one chunk that is a whole document unless told otherwise."""

from __future__ import annotations

from dataclasses import replace

from answers.rules.question import Question, read
from retrieval.ranking.evidence import Passage

_BLANK = Passage(
    chunk_id=1, document_id=1, version_id=1, collection_id=1, text="", start=0, end=0, title="", language="en"
)


def passage(text: str, *, no: int = 1, start: int = 0, title: str = "", **fields: object) -> Passage:
    """Passage `no` of document `no`, whose text begins at `start` of its version."""
    made = replace(_BLANK, chunk_id=no, document_id=no, version_id=no, title=title, text=text, start=start)
    return replace(made, end=start + len(text), rank=no, **fields)  # type: ignore[arg-type]


def asked(text: str) -> Question:
    question = read(text)
    assert isinstance(question, Question)
    return question
