"""What a run may change about how questions are answered. The same settings answer members, so a candidate is tried for real."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

from django.conf import settings

from answers.ask import AskSettings
from answers.rules.gates import Thresholds, thresholds_for
from answers.writers import Writer
from documents.collection import LARGEST, SMALLEST, SPLITTERS
from documents.embedders import live_name
from portal.problems import UserProblem
from retrieval.query import RANKERS, Ranker

SOURCES = ("documents", "retrieval", "answers", "evaluation/metrics")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "ranker": ("", *RANKERS),
    "writer": ("quotes", "model"),
    "splitter": ("", *SPLITTERS),
}
MAX_PROMPT = 8_000
SWITCH = {"on": True, "true": True, "1": True, "yes": True, "off": False, "false": False, "0": False, "no": False}


@dataclass(frozen=True, slots=True)
class Configuration:
    """`threshold_scale` multiplies every threshold; `meaning_weight` is the weight of the list by meaning beside words at 1.

    `embedding_model` names another model than the live one, which is filled beside it (docs/retrieval.md): both are compared before
    a switch. `ranker` replaces the one of the settings, `rerank` off leaves the reranker out. `writer` "model" lets the model write
    that the workspace or the operator set up, and `prompt` replaces what it is told. `splitter`, `max_tokens` and `overlap_tokens`
    cut the documents anew and `pooled` copies them as they are, both in a candidate index (evaluation/trial.py).
    `judge` has a model say what it thinks of each answer, beside the figures. `shuffle_citations` gives each quote the number of
    another passage: a planted fault, to see that the figures notice.
    """

    k: int = 8
    words: bool = True
    meaning: bool = True
    meaning_weight: float | None = None
    threshold_scale: float = 1.0
    shuffle_citations: bool = False
    embedding_model: str = ""
    ranker: str = ""
    rerank: bool = True
    writer: str = "quotes"
    prompt: str = ""
    splitter: str = ""
    max_tokens: int = 0
    overlap_tokens: int = -1
    pooled: bool = False
    judge: bool = False

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
        made._check_choices()
        return made

    def _check_choices(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise UserProblem("evaluation.configuration", f"{name} is one of {', '.join(filter(None, known))}.")
        if self.prompt and (self.writer != "model" or len(self.prompt) > MAX_PROMPT):
            raise UserProblem(
                "evaluation.configuration", f"A prompt needs writer=model and is of at most {MAX_PROMPT:,} characters."
            )
        size = self.max_tokens or LARGEST
        if not SMALLEST <= size <= LARGEST or not -1 <= self.overlap_tokens < size:
            raise UserProblem(
                "evaluation.configuration",
                f"max_tokens is from {SMALLEST} to {LARGEST}, overlap_tokens below it.",
            )

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """From `k=8,words=off` or a JSON object: what a form sends. Nothing of this machine is read."""
        text = text.strip()
        if text.startswith("{"):
            try:
                given = json.loads(text)
            except ValueError:
                raise UserProblem("evaluation.configuration", "It is no readable JSON.") from None
            return cls.read(given if isinstance(given, dict) else {"?": given})
        pairs = [part.partition("=") for part in text.replace("\n", ",").split(",") if part.strip()]
        return cls.read({name.strip(): value.strip() for name, _, value in pairs})

    @classmethod
    def of_operator(cls, text: str) -> Configuration:
        """As parse; also from the path of a JSON file, and `prompt=@FILE` takes the prompt from a file."""
        text = text.strip()
        try:
            if text.endswith(".json"):
                return cls.parse(Path(text).read_text(encoding="utf-8"))
            made = cls.parse(text)
            prompt = Path(made.prompt[1:]).read_text(encoding="utf-8") if made.prompt.startswith("@") else made.prompt
        except (OSError, ValueError):
            raise UserProblem("evaluation.configuration", "A file that it names cannot be read.") from None
        return cls.read({**made.plain(), "prompt": prompt.strip()}) if prompt else made

    def plain(self) -> dict[str, Any]:
        """What differs from the live configuration."""
        return {name: value for name, value in asdict(self).items() if value != getattr(Configuration(), name)}

    @property
    def label(self) -> str:
        """`words off, k 20`; "as it is live" for no change."""
        parts = [f"{name.replace('_', ' ')} {_shown(name, value)}" for name, value in self.plain().items()]
        return ", ".join(parts) or "as it is live"

    @property
    def hash(self) -> str:
        """Equal hashes, equal settings, the live thresholds included."""
        settled = {**asdict(self), "thresholds": asdict(self._thresholds()), "ranker": self._ranker}
        del settled["judge"]
        return hashlib.sha256(json.dumps(settled, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def embedder(self) -> str:
        """The name of the model whose vectors are searched."""
        return self.embedding_model or live_name()

    @property
    def needs_index(self) -> bool:
        """Whether it is tried over copies of the documents, which only `manage.py shadow` makes."""
        return self.pooled or self.cuts_anew

    @property
    def asks_a_model(self) -> bool:
        return self.judge or self.writer == "model"

    @property
    def cuts_anew(self) -> bool:
        return bool(self.splitter or self.max_tokens) or self.overlap_tokens >= 0

    @property
    def _ranker(self) -> Ranker:
        return cast("Ranker", self.ranker or settings.SEARCH_RANKER)

    def settings(self, collection_ids: tuple[int, ...]) -> AskSettings:
        return AskSettings(
            collection_ids=collection_ids,
            k=self.k,
            thresholds=self._thresholds(),
            words=self.words,
            meaning=self.meaning,
            meaning_weight=self.meaning_weight,
            embedder=self.embedder,
            ranker=self._ranker,
            rerank=self.rerank,
            as_set=self.words and self.meaning and not self.ranker,
        )

    def answering(self) -> Writer | None:
        """None for quotes. A model that fails leaves quotes and a note, as it does for members."""
        if self.writer != "model":
            return None
        from answers.model_writer import ModelWriter

        return ModelWriter(task=self.prompt) if self.prompt else ModelWriter()

    def _thresholds(self) -> Thresholds:
        live = thresholds_for(self.embedder)
        if self.threshold_scale == 1.0:
            return live
        scaled = ("score", "checked_score", "answer", "similarity", "cross_language", "words", "pairs")
        return replace(live, **{name: getattr(live, name) * self.threshold_scale for name in scaled})


def _shown(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if name == "prompt":
        return hashlib.sha256(str(value).encode()).hexdigest()[:8]
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
