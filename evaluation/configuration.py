"""What a run may change about how questions are answered. The same settings answer members, so a candidate is tried for real."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from answers.ask import AskSettings
from answers.rules.gates import Thresholds, thresholds_for
from documents.embedders import live_name
from portal.problems import UserProblem

SOURCES = ("documents", "retrieval", "answers", "evaluation/metrics")
SWITCH = {"on": True, "true": True, "1": True, "yes": True, "off": False, "false": False, "0": False, "no": False}


@dataclass(frozen=True, slots=True)
class Configuration:
    """`threshold_scale` multiplies every threshold; `meaning_weight` is the weight of the list by meaning beside words at 1.

    `embedding_model` names another model than the live one, which is filled beside it (docs/retrieval.md): both are compared before
    a switch. `shuffle_citations` gives each quote another passage's number: a planted fault, to see that the figures notice.
    """

    k: int = 8
    words: bool = True
    meaning: bool = True
    meaning_weight: float | None = None
    threshold_scale: float = 1.0
    shuffle_citations: bool = False
    embedding_model: str = ""

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Configuration:
        """From JSON or a form. Raises UserProblem evaluation.configuration for a name or value that is none."""
        known = {field.name for field in fields(cls)}
        values: dict[str, Any] = {}
        for name, value in given.items():
            if name not in known:
                raise UserProblem("evaluation.configuration", f"There is no {name[:40]}.")
            values[name] = _value(name, value)
        made = replace(cls(), **values)
        if not 1 <= made.k <= 100 or not 0 <= made.threshold_scale <= 10 or not 0 <= (made.meaning_weight or 0) <= 100:
            raise UserProblem("evaluation.configuration", "A number is out of its range.")
        if not (made.words or made.meaning):
            raise UserProblem("evaluation.configuration", "One of words and meaning must be on.")
        return made

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """From `k=8,words=off`, from a JSON object, or from the path of a file that holds one."""
        text = text.strip()
        if text.startswith("{") or text.endswith(".json"):
            try:
                given = json.loads(text if text.startswith("{") else Path(text).read_text(encoding="utf-8"))
            except (OSError, ValueError):
                raise UserProblem("evaluation.configuration", "It is no readable JSON.") from None
            return cls.read(given if isinstance(given, dict) else {"?": given})
        pairs = [part.partition("=") for part in text.replace("\n", ",").split(",") if part.strip()]
        return cls.read({name.strip(): value.strip() for name, _, value in pairs})

    def plain(self) -> dict[str, Any]:
        """What differs from the live configuration."""
        return {name: value for name, value in asdict(self).items() if value != getattr(Configuration(), name)}

    @property
    def label(self) -> str:
        """`words off, k 20`; "as it is live" for no change."""
        parts = [f"{name.replace('_', ' ')} {_shown(value)}" for name, value in self.plain().items()]
        return ", ".join(parts) or "as it is live"

    @property
    def hash(self) -> str:
        """Equal hashes, equal settings, the live thresholds included."""
        settled = {**asdict(self), "thresholds": asdict(self._thresholds())}
        return hashlib.sha256(json.dumps(settled, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def embedder(self) -> str:
        """The name of the model whose vectors are searched."""
        return self.embedding_model or live_name()

    def settings(self, collection_ids: tuple[int, ...]) -> AskSettings:
        return AskSettings(
            collection_ids=collection_ids,
            k=self.k,
            thresholds=self._thresholds(),
            words=self.words,
            meaning=self.meaning,
            meaning_weight=self.meaning_weight,
            embedder=self.embedder,
        )

    def _thresholds(self) -> Thresholds:
        live = thresholds_for(self.embedder)
        if self.threshold_scale == 1.0:
            return live
        scaled = ("score", "checked_score", "answer", "similarity", "cross_language", "words", "pairs")
        return replace(live, **{name: getattr(live, name) * self.threshold_scale for name in scaled})


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else f"{value:g}"


def _value(name: str, value: Any) -> Any:
    default = getattr(Configuration(), name)
    try:
        if isinstance(default, bool):
            return value if isinstance(value, bool) else SWITCH[str(value).lower()]
        if name == "meaning_weight":
            return None if value in (None, "") else float(value)
        return type(default)(value)
    except (KeyError, TypeError, ValueError):
        raise UserProblem("evaluation.configuration", f"{name} has a value that is none.") from None


@functools.cache
def code_version() -> str:
    """A fingerprint of the code that finds, answers and measures: equal code, equal version, with or without git."""
    root = Path(settings.BASE_DIR)
    found = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".sql", ".toml") and "migrations" not in path.parts:
                found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:12]
