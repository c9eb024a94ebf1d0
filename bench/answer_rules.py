"""How well the rules of an answer decline, quote, audit and guard: `python -m bench.answer_rules --data ../shared/data`.

The figures of docs/adr/0007 come from here. Questions whose id has an even CRC-32 were tuned on, the odd half is reported.
Search is BM25 and cosine fused over whole paragraphs, without a database; the first run embeds for about a minute.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from answers.rules import citations, extract, gates, guard
from answers.rules.question import Question, read
from documents.embedding.model import Encoder, Matrix, default_files
from documents.text.analyse import analyse, terms
from retrieval.ranking.bm25 import rank
from retrieval.ranking.evidence import Passage
from retrieval.ranking.fusion import MEANING, Leg, fuse

K = 5
DEPTH = 50
SAMPLE = 3  # every third question of squad2-open
SEED = 7
NAMES = ("Napoleon", "Microsoft", "Brazil", "Einstein", "Toyota", "Vienna", "Cleopatra", "Nigeria")


@dataclass(frozen=True, slots=True)
class Found:
    """One question with its passages; `answers` is empty where the corpus holds none."""

    question: Question
    passages: tuple[Passage, ...]
    paragraph: str
    answers: tuple[str, ...]


class Paragraphs:
    """The squad2-open corpus, searched as the portal searches, in memory."""

    def __init__(self, rows: Sequence[dict[str, Any]], encoder: Encoder) -> None:
        self._rows, self._encoder = rows, encoder
        texts = [f"{row['title']}\n{row['text']}" for row in rows]
        self._vectors: Matrix = encoder.embed(texts)
        self._terms = {i: analyse(text) for i, text in enumerate(texts)}

    def search(self, question: Question) -> tuple[Passage, ...]:
        cosines = self._vectors @ self._encoder.embed_one(question.text).vector
        asked = set(terms(question.text))
        holding = {i: found for i, found in self._terms.items() if not asked.isdisjoint(found)}
        words = rank(holding or self._terms, asked)[:DEPTH]
        nearest = [(int(i), float(cosines[i])) for i in np.argsort(-cosines, kind="stable")[:DEPTH]]
        fused = fuse([Leg("words", words, floor=0.0), Leg("meaning", nearest, weight=MEANING)])
        return tuple(self._passage(i, no, float(cosines[i])) for no, (i, _) in enumerate(fused[:K], start=1))

    def _passage(self, i: int, no: int, similarity: float) -> Passage:
        row = self._rows[i]
        return Passage(
            i, i, i, 1, row["text"], 0, len(row["text"]), row["title"],
            document_ref=row["id"], language="en", rank=no, similarity=similarity,
        )  # fmt: skip


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_odd(identifier: str) -> bool:
    return zlib.crc32(identifier.encode()) // SAMPLE % 2 == 1


def searched(corpus: Paragraphs, asked: Sequence[dict[str, Any]], *, text: str) -> list[Found]:
    found = []
    for row in asked:
        question = read(row[text])
        if isinstance(question, Question) and is_odd(row["id"]):
            answers = tuple(row.get("answers") or ())
            found.append(Found(question, corpus.search(question), row.get("context_id", ""), answers))
    return found


def declined(name: str, found: Sequence[Found]) -> list[float]:
    """Print the share declined; return the confidence of each question."""
    decisions = [gates.decide(one.question, one.passages, gates.MINILM) for one in found]
    share = sum(isinstance(decision, gates.Declined) for decision in decisions) / len(found)
    print(f"declined {name}: {share:.3f} of {len(found)}")
    return [decision.confidence for decision in decisions]


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a right one scores above a wrong one, ties half."""
    low = np.asarray(wrong)
    return float(np.mean([(low < one).mean() + (low == one).mean() / 2 for one in right]))


def quotes(found: Sequence[Found]) -> None:
    given = [one for one in found if one.paragraph in {p.document_ref for p in one.passages}]
    drafts = [extract.write(one.question, one.passages) for one in given]
    answered = [(one, draft) for one, draft in zip(given, drafts, strict=True) if draft.sentences]
    held = sum(any(a in quote.text for a in one.answers for quote in draft.sentences) for one, draft in answered)
    length = float(np.mean([sum(len(quote.text) for quote in draft.sentences) for _, draft in answered]))
    print(
        f"quotes hold a gold answer: {held / len(answered):.3f} of {len(answered)}, {length:.0f} characters on average"
    )


def corrupted(sentence: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    if digits := list(re.finditer(r"\d+", sentence)):
        one = chance.choice(digits)
        yield "number", f"{sentence[: one.start()]}{int(one[0]) + chance.choice((1, 3, 10))}{sentence[one.end() :]}"
    if names := list(re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{3,}", sentence)):
        one = chance.choice(names)
        yield "entity", f"{sentence[: one.start()]}{chance.choice(NAMES)}{sentence[one.end() :]}"
    turned = re.sub(
        r"\b(is|was|are|were|can|could|will|would|has|have|had|did|does)\b(?! not)", r"\1 not", sentence, count=1
    )
    if turned != sentence:
        yield "negation", turned


def audits(found: Sequence[Found]) -> None:
    """A sound sentence is quoted, or quoted without its last clause; a corrupted one has one thing changed."""
    chance = random.Random(SEED)
    flagged: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for one in found:
        for quote in extract.write(one.question, one.passages).sentences[:1]:
            sentence = " ".join(quote.text.split())
            other = chance.choice([no for no in range(1, K + 1) if no != quote.passage_no])
            cases = [("sound", sentence, quote.passage_no), ("swapped", sentence, other)]
            if len(clauses := sentence.split(", ")) > 2:
                cases.append(("sound, cut", ", ".join(clauses[:-1]) + ".", quote.passage_no))
            cases += [(kind, text, quote.passage_no) for kind, text in corrupted(sentence, chance)]
            for kind, text, no in cases:
                total[kind] += 1
                flagged[kind] += citations.audit(f"{text} [{no}]", one.passages).verdict != "supported"
    print("audit flags", {kind: f"{flagged[kind] / total[kind]:.3f} of {total[kind]}" for kind in sorted(total)})


def guarded(folder: Path) -> None:
    injecguard = rows(folder / "injecguard_valid.jsonl")
    purple = rows(folder / "purplellama_prompt_injection.jsonl")
    sets = {
        "NotInject (benign)": rows(folder / "notinject_one_two.jsonl"),
        "InjecGuard valid, benign": [row for row in injecguard if not row["label"]],
        "InjecGuard valid, attacks": [row for row in injecguard if row["label"]],
        "PurpleLlama, even ids (seen)": [row for row in purple if int(row["id"]) % 2 == 0],
        "PurpleLlama, odd ids (unseen)": [row for row in purple if int(row["id"]) % 2],
        "BIPIA planted instructions": rows(folder / "bipia_attack_instructions.jsonl"),
    }
    for name, texts in sets.items():
        verdicts = [guard.screen(row["text"], "block") for row in texts]
        stopped, any_rule = sum(v.blocked for v in verdicts), sum(bool(v.rule_ids) for v in verdicts)
        print(f"guard {name}: {stopped} stopped, {any_rule} with any rule, of {len(texts)}")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, required=True)
    data: Path = options.parse_args().data
    guarded(data / "injection")
    squad = data / "sets" / "squad2-open"
    corpus = Paragraphs(rows(squad / "corpus.jsonl"), Encoder(default_files()))
    asked = [row for row in rows(squad / "qa.jsonl") if zlib.crc32(row["id"].encode()) % SAMPLE == 0]
    inside = searched(corpus, [row for row in asked if not row["unanswerable"]], text="question")
    near = searched(corpus, [row for row in asked if row["unanswerable"]], text="question")
    pubmed = searched(corpus, rows(data / "sets" / "pubmedqa-pqal" / "queries.jsonl")[:500], text="text")
    django = searched(corpus, rows(data / "sets" / "faq-django" / "queries.jsonl"), text="text")
    right = declined("answerable", inside)
    for name, found in (("unanswerable near misses", near), ("PubMedQA questions", pubmed), ("Django FAQ", django)):
        print(f"  AUROC {auroc(right, declined(name, found)):.3f}")
    quotes(inside)
    audits(inside)


if __name__ == "__main__":
    main()
