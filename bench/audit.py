"""The citation audit against answers that a script corrupted, and against sound ones."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from answers.rules import citations
from answers.rules.support import numbers
from bench.paragraphs import rows
from bench.registry import Bar, Bench, Figures, measures
from documents.text.sentences import sentences
from retrieval.ranking.evidence import Passage

EACH: Final = 50
SEED: Final = 7
PASSAGES: Final = 4
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b(?! [A-Z])")
_TURNED: Final = r"\b(is|was|are|were|can|could|will|would|has|have|had|did|does)\b(?! not)"
_WORDS: Final = {
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "10": "ten",
}
Change = Callable[[str, random.Random, "Texts"], str]


class Texts:
    """Paragraphs of squad2-open as evidence: four of them, the sentence is of one."""

    def __init__(self, paragraphs: Sequence[dict[str, str]], chance: random.Random) -> None:
        self._paragraphs = paragraphs
        self._chance = chance
        self.names = sorted({name for row in paragraphs for name in _NAME.findall(row["text"])})

    def drawn(self) -> Iterator[tuple[list[str], str, list[Passage]]]:
        """(neighbouring sentences, the passage's text, evidence with that passage first), without end."""
        while True:
            picked = self._chance.sample(self._paragraphs, PASSAGES)
            text = picked[0]["text"]
            spans = [" ".join(text[a:b].split()) for a, b in sentences(text)]
            at = self._chance.randrange(max(1, len(spans) - 1))
            if len(spans) > 1 and all(30 < len(span) < 300 for span in spans[at : at + 2]):
                yield spans[at : at + 2], text, [_passage(row, no) for no, row in enumerate(picked, 1)]


def _passage(row: dict[str, str], no: int) -> Passage:
    return Passage(no, no, no, 1, row["text"], 0, len(row["text"]), row["title"], language="en", rank=no)


def another_number(said: str, chance: random.Random, texts: Texts) -> str:
    digits = list(re.finditer(r"(?<![\d.,])\d+(?![\d.,]*\d)", said))
    if not digits:
        return ""
    one = chance.choice(digits)
    return f"{said[: one.start()]}{int(one[0]) + chance.choice((1, 3, 10))}{said[one.end() :]}"


def another_name(said: str, chance: random.Random, texts: Texts) -> str:
    found = list(_NAME.finditer(said))
    if not found:
        return ""
    one = chance.choice(found)
    return (
        f"{said[: one.start()]}{chance.choice([name for name in texts.names if name not in said])}{said[one.end() :]}"
    )


def turned_round(said: str, chance: random.Random, texts: Texts) -> str:
    if re.search(r"\bnot\b", said):
        return re.sub(r"\s*\bnot\b", "", said, count=1)
    turned = re.sub(_TURNED, r"\1 not", said, count=1)
    return "" if turned == said else turned


def unchanged(said: str, chance: random.Random, texts: Texts) -> str:
    return said


def cut_short(said: str, chance: random.Random, texts: Texts) -> str:
    clauses = said.split(", ")
    return ", ".join(clauses[:-1]) + "." if len(clauses) > 2 else ""


def respelled(said: str, chance: random.Random, texts: Texts) -> str:
    """Thousands without commas, small numbers in words, short forms."""
    new = re.sub(r"(?<=\d),(?=\d{3}\b)", "", said)
    new = re.sub(r"(?<![\w.,-])(\d\d?)(?= [a-z])(?![\w.,]*\d)", lambda m: _WORDS.get(m[1], m[1]), new)
    new = new.replace(" is not ", " isn't ").replace(" did not ", " didn't ").replace(" was not ", " wasn't ")
    return "" if new == said else new


def without_brackets(said: str, chance: random.Random, texts: Texts) -> str:
    new = re.sub(r"\s*\([^()]*\)", "", said)
    return "" if new == said else new


CORRUPTED: Final[dict[str, Change]] = {
    "number": another_number,
    "entity": another_name,
    "negation": turned_round,
    "swapped": unchanged,
}
SOUND: Final[dict[str, Change]] = {
    "quoted": unchanged,
    "cut": cut_short,
    "respelled": respelled,
    "without brackets": without_brackets,
}


@measures(Bar("audit_corrupted_flagged", ">=", 0.90), Bar("audit_sound_flagged", "<=", 0.05))
def audit(bench: Bench) -> Figures:
    """200 answers of two sentences of which one is wrong in a number, a name, its negation or its citation; 200 sound ones."""
    paragraphs = rows(bench.data / "sets" / "squad2-open" / "corpus.jsonl")
    shares = {}
    for name, changes in (("corrupted", CORRUPTED), ("sound", SOUND)):
        flagged, total = flags(paragraphs, changes)
        bench.note(f"{name}: " + ", ".join(f"{kind} {flagged[kind]} of {total[kind]}" for kind in total))
        shares[name] = sum(flagged.values()) / sum(total.values())
    return {"audit_corrupted_flagged": shares["corrupted"], "audit_sound_flagged": shares["sound"]}


def flags(paragraphs: Sequence[dict[str, str]], changes: dict[str, Change]) -> tuple[Counter[str], dict[str, int]]:
    """How many answers of each change were called anything but supported, of how many."""
    chance = random.Random(SEED)
    texts = Texts(paragraphs, chance)
    flagged: Counter[str] = Counter()
    total: dict[str, int] = defaultdict(int)
    for (said, other), text, evidence in texts.drawn():
        kind = next((kind for kind in changes if total[kind] < EACH), "")
        if not kind:
            return flagged, total
        changed = changes[kind](said, chance, texts)
        if (
            not changed
            or (kind == "number" and numbers(changed) <= numbers(text))
            or (kind == "entity" and _known(changed, text))
        ):
            continue
        number = chance.randrange(2, PASSAGES + 1) if kind == "swapped" else 1
        total[kind] += 1
        flagged[kind] += citations.audit(f"{changed} [{number}] {other} [1]", evidence).verdict != "supported"
    return flagged, total


def _known(changed: str, text: str) -> bool:
    return all(name in text for name in _NAME.findall(changed))
