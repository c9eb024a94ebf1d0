"""Earlier answers: how many paraphrases reach one, and whether a near miss ever does. Words and cosine, without a database."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from answers.rules.question import Question, read
from answers.rules.same import ALIKE, same, signature
from bench.audit import Texts, another_name, another_number
from bench.paragraphs import rows
from bench.registry import Bar, Bench, Figures, measures
from documents.embedding.model import Encoder, default_files

SEED: Final = 7
PARAPHRASES: Final = 500
NEAR: Final = 1000
_TURNED: Final = re.compile(
    r"\b(is|was|are|were|can|could|will|would|has|have|had|did|does|do)\b(?! not)", re.IGNORECASE
)
Rewrite = Callable[[str], str]


def lowered(text: str) -> str:
    return text.rstrip("?") if text.isascii() else ""


def framed(text: str) -> str:
    return f"Could you tell me {text[0].lower()}{text[1:]}"


def polite(text: str) -> str:
    return f"Please, {text[0].lower()}{text[1:].rstrip('?')}, thanks"


def fronted(text: str) -> str:
    """The last phrase of place or time moved to the front."""
    match = re.fullmatch(r"(.{12,}?) ((?:in|on|at|during|for) (?:the )?[\w ]{3,30})\?", text)
    return f"{match[2][0].upper()}{match[2][1:]}, {match[1][0].lower()}{match[1][1:]}?" if match else ""


def wondering(text: str) -> str:
    return f"I was asking myself: {text}"


REWRITES: Final[tuple[Rewrite, ...]] = (lowered, framed, polite, fronted, wondering)


@measures(Bar("cache_paraphrase_hits", ">=", 0.60), Bar("cache_wrong_hits", "=", 0), is_long=True)
def again(bench: Bench) -> Figures:
    """500 paraphrases and 1,000 near misses (another number, name, version, the negation) of squad2-open's questions."""
    squad = bench.data / "sets" / "squad2-open"
    chance = random.Random(SEED)
    texts = Texts(rows(squad / "corpus.jsonl"), chance)
    questions = [row["question"].strip() for row in rows(squad / "qa.jsonl")]
    chance.shuffle(questions)
    encoder = Encoder(default_files())
    paraphrased = pairs(questions, PARAPHRASES, REWRITES)
    near: tuple[Rewrite, ...] = (
        lambda text: another_number(text, chance, texts),
        lambda text: another_name(text, chance, texts),
        lambda text: _TURNED.sub(r"\1 not", text, count=1),
        lambda text: text.rstrip("?") + f" in version {chance.randrange(1, 9)}.{chance.randrange(10)}?",
    )
    hits = [(kind, hit(encoder, one, other)) for kind, one, other in paraphrased]
    wrong = [(kind, hit(encoder, one, other)) for kind, one, other in pairs(questions, NEAR, near)]
    for name, found in (("paraphrases", hits), ("near misses", wrong)):
        of, met = Counter(kind for kind, _ in found), Counter(kind for kind, is_hit in found if is_hit)
        bench.note(f"{name} served: " + ", ".join(f"{kind} {met[kind]} of {of[kind]}" for kind in sorted(of)))
    return {
        "cache_paraphrase_hits": sum(is_hit for _, is_hit in hits) / len(hits),
        "cache_wrong_hits": sum(is_hit for _, is_hit in wrong),
    }


def pairs(questions: list[str], wanted: int, rewrites: tuple[Rewrite, ...]) -> list[tuple[str, str, str]]:
    """(number of the rewrite, question, rewritten), as many of each as there are questions for, `wanted` in all."""
    found: list[tuple[str, str, str]] = []
    for number, rewrite in enumerate(rewrites):
        mine = [(str(number), text, new) for text in questions if (new := rewrite(text)) and new != text]
        found += mine[: wanted // len(rewrites)]
    spare = [(f"{n} more", text, new) for n, rewrite in enumerate(rewrites[1:2]) for text in questions[::-1]
             if (new := rewrite(text)) and new != text]  # fmt: skip
    return (found + spare)[:wanted]


def hit(encoder: Encoder, one: str, other: str) -> bool:
    first, second = read(one), read(other)
    if not (isinstance(first, Question) and isinstance(second, Question)):
        return False
    if not same(signature(first, b"bench"), signature(second, b"bench")):
        return False
    cosine = encoder.embed_one(first.text).vector @ encoder.embed_one(second.text).vector
    return bool(cosine >= ALIKE)
