"""squad2-open searched in memory as the portal searches, and the questions asked of it: for figures that need no database."""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from answers.rules import budget
from answers.rules.question import Question, read
from documents.embedding.model import Encoder, Matrix
from documents.text.analyse import analyse, query_terms
from retrieval.ranking.bm25 import idf, term_score
from retrieval.ranking.evidence import Passage
from retrieval.ranking.fusion import MEANING, Leg, fuse

K = 8
DEPTH = 100


@dataclass(frozen=True, slots=True)
class Found:
    """One question with its evidence; `answers` is empty where the corpus holds none, `paragraph` the gold one's id."""

    id: str
    question: Question
    passages: tuple[Passage, ...]
    answers: tuple[str, ...] = ()
    paragraph: str = ""

    @property
    def is_odd(self) -> bool:
        """Of the half that is reported; the even half was tuned on."""
        return zlib.crc32(self.id.encode()) // 3 % 2 == 1


class Paragraphs:
    def __init__(self, rows: Sequence[dict[str, Any]], encoder: Encoder) -> None:
        self._rows, self._encoder = rows, encoder
        texts = [f"{row['title']}\n{row['text']}" for row in rows]
        self._vectors: Matrix = encoder.embed(texts)
        self._postings = _postings([analyse(text, language="en") for text in texts])

    def search(self, question: Question) -> tuple[Passage, ...]:
        """The evidence of a question, as answers.ask gathers it."""
        cosines = self._vectors @ self._encoder.embed_one(question.text).vector
        scores: dict[int, float] = defaultdict(float)
        for term in set(query_terms(question.text, languages=["en"])):
            for place, score in self._postings.get(term, ()):
                scores[place] += score
        words = sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))[:DEPTH]
        nearest = [(int(i), float(cosines[i])) for i in np.argsort(-cosines, kind="stable")[:DEPTH]]
        fused = fuse([Leg("words", words, floor=0.0), Leg("meaning", nearest, weight=MEANING)])
        found = [self._passage(i, no, float(cosines[i])) for no, (i, _) in enumerate(fused[:K], start=1)]
        return budget.choose(found).passages

    def _passage(self, i: int, no: int, similarity: float) -> Passage:
        row = self._rows[i]
        return Passage(
            i, i, i, 1, row["text"], 0, len(row["text"]), row["title"],
            document_ref=row["id"], language="en", rank=no, similarity=similarity,
        )  # fmt: skip


def _postings(texts: Sequence[Sequence[str]]) -> dict[str, list[tuple[int, float]]]:
    counts = [Counter(text) for text in texts]
    mean_length = sum(map(len, texts)) / len(texts)
    holding = Counter(term for counted in counts for term in counted)
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for place, counted in enumerate(counts):
        for term, frequency in counted.items():
            weight = idf(len(texts), holding[term])
            score = term_score(frequency, len(texts[place]), mean_length=mean_length, weight=weight)
            found[term].append((place, score))
    return found


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def asked(corpus: Paragraphs, questions: Sequence[dict[str, Any]]) -> list[Found]:
    """Those of the rows that are questions, each with its evidence."""
    found = []
    for row in questions:
        question = read(row.get("question") or row["text"])
        if isinstance(question, Question):
            answers = tuple(row.get("answers") or ())
            found.append(Found(row["id"], question, corpus.search(question), answers, row.get("context_id", "")))
    return found
