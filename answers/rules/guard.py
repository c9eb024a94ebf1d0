"""The guard: questions that try to command the machine, and text in documents that reads like a command.

It is telemetry with a strict blocking tier. The wall is elsewhere: retrieval runs in the asker's scope, no tool can be
called, no foreign URL is rendered, and every sentence is audited against its passages.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

Mode = Literal["off", "log", "block"]
Tier = Literal["strict", "loose"]

_RULES_FILE: Final = Path(__file__).with_name("guard_rules.toml")


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    tier: Tier
    pattern: re.Pattern[str]
    in_documents: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """`rule_ids` are those that fired, in the order of the rules' file; they may be logged, the question may not."""

    blocked: bool
    rule_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flag:
    """Instruction-like text at `text[start:end]` of a document: a badge, never obeyed, never a reason to refuse."""

    rule_id: str
    start: int
    end: int


def screen(text: str, mode: Mode) -> Verdict:
    """Block mode stops what a strict rule matches; log mode stops nothing; off looks at nothing."""
    if mode == "off":
        return Verdict(False)
    plain = _plain(text)
    fired = tuple(rule for rule in rules() if rule.pattern.search(plain))
    blocked = mode == "block" and any(rule.tier == "strict" for rule in fired)
    return Verdict(blocked, tuple(rule.id for rule in fired))


def scan_document(text: str) -> tuple[Flag, ...]:
    """Every place where a document speaks to a model, in order of place. Offsets are of `text` as given."""
    flags = [
        Flag(rule.id, match.start(), match.end())
        for rule in rules()
        if rule.in_documents
        for match in rule.pattern.finditer(text)
    ]
    return tuple(sorted(flags, key=lambda flag: (flag.start, flag.end, flag.rule_id)))


def speaks_to_a_model(text: str) -> bool:
    """A sentence that a rule for documents fires on: it is never the first thing to be quoted."""
    return any(rule.in_documents and rule.pattern.search(text) for rule in rules())


@cache
def rules() -> tuple[Rule, ...]:
    """Raises ValueError for a rule with an unknown tier and re.error for a broken pattern, at the first call."""
    return tuple(_rule(entry) for entry in tomllib.loads(_RULES_FILE.read_text(encoding="utf-8"))["rule"])


def _rule(entry: dict[str, str | bool]) -> Rule:
    tier = entry["tier"]
    if tier not in ("strict", "loose"):
        raise ValueError(f"guard rule {entry['id']}: tier is strict or loose, not {tier}")
    pattern = re.compile(str(entry["pattern"]), re.IGNORECASE)
    return Rule(str(entry["id"]), "strict" if tier == "strict" else "loose", pattern, bool(entry.get("in_documents")))


def _plain(text: str) -> str:
    """NFKC, without invisible format characters, white space collapsed: what a reader sees is what is matched."""
    shown = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    return " ".join(shown.split())
