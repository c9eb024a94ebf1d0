"""A model as judge: a second opinion on what an answer says, asked once for equal answers, and never part of any figure or gate."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings

from evaluation import model_call
from evaluation.golden.item import Item
from evaluation.models import Judgement
from portal.models import Workspace
from portal.scope import Scope, principal

Verdict = Literal["right", "partly", "wrong", "unclear"]
VERDICTS: tuple[Verdict, ...] = ("right", "partly", "wrong")
_WORD = re.compile(r"\b(right|partly|wrong)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judged:
    """`is_cached`: it was said of an equal answer before, and cost nothing now."""

    verdict: str
    model: str
    prompt_version: str
    cost_usd: float = 0.0
    is_cached: bool = False

    def plain(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "model": self.model,
            "prompt": self.prompt_version,
            "cost_usd": self.cost_usd,
            "cached": self.is_cached,
        }


@dataclass(frozen=True, slots=True)
class Judge:
    """One prompt in one scope. Nothing of what it reads is kept: the cache knows an HMAC of it."""

    scope: Scope
    prompt: model_call.Prompt

    @classmethod
    def of_settings(cls, scope: Scope) -> Judge:
        return cls(scope, model_call.read("judge", settings.JUDGE_PROMPT))

    def judge(self, item: Item, answer: str) -> Judged | None:
        """None for a question that expects nothing in particular, and where no model answers."""
        if item.expects == "open" or (item.expects == "answer" and not (item.answers or item.key_facts or item.gold)):
            return None
        parts = (("question", item.text), ("expected", expected(item)), ("answer", answer or "(nothing was found)"))
        key = self._key(parts)
        if (before := self._before(key)) is not None:
            return before
        said = model_call.ask(self.scope, self.prompt, parts)
        if said is None:
            return None
        judged = Judged(read_verdict(said.text), said.model, self.prompt.version, said.cost_usd)
        if judged.verdict in VERDICTS:
            self._keep(key, judged)
        return judged

    def _key(self, parts: tuple[tuple[str, str], ...]) -> bytes:
        """Under the workspace's own key, so that nobody can tell from it what was asked."""
        with principal(self.scope):
            secret = bytes(Workspace.objects.visible_to(self.scope).values_list("question_key", flat=True).get())
        told = "\0".join((self.prompt.version, *(text for _, text in parts)))
        return hmac.digest(secret, b"judge\0" + told.encode("utf-8", "replace"), hashlib.sha256)

    def _before(self, key: bytes) -> Judged | None:
        with principal(self.scope):
            row = Judgement.objects.visible_to(self.scope).filter(key=key).first()
        return None if row is None else Judged(row.verdict, row.model, row.prompt_version, is_cached=True)

    def _keep(self, key: bytes, judged: Judged) -> None:
        with principal(self.scope):
            row = Judgement(
                workspace_id=self.scope.workspace_id,
                key=key,
                verdict=judged.verdict,
                model=judged.model[:120],
                prompt_version=judged.prompt_version,
            )
            Judgement.objects.using("default").bulk_create([row], ignore_conflicts=True)


def expected(item: Item) -> str:
    """What the judge is told to look for: the texts and facts, or the words of the gold passages."""
    if item.expects == "decline":
        return "(nothing should be found)"
    quotes = [passage.quote for passage in item.gold if passage.quote] if not item.answers + item.key_facts else []
    lines = [*(f"one of: {text}" for text in item.answers[:10]), *(f"fact: {fact}" for fact in item.key_facts), *quotes]
    return "\n".join(lines) or "(an answer from the document)"


def read_verdict(text: str) -> Verdict:
    """The one verdict that a reply names; a reply that names none, or two, is unclear."""
    found = {word.lower() for word in _WORD.findall(text[:400])}
    return found.pop() if len(found) == 1 else "unclear"


def summed(traces: list[dict[str, Any]]) -> dict[str, Any]:
    """Of a run's traces: how many the judge called what, by which model, and what it cost; {} without a judge."""
    said = [trace["judge"] for trace in traces if trace.get("judge")]
    if not said:
        return {}
    counted = {verdict: sum(one["verdict"] == verdict for one in said) for verdict in (*VERDICTS, "unclear")}
    return {
        "counts": counted,
        "models": sorted({one["model"] for one in said}),
        "prompts": sorted({one["prompt"] for one in said}),
        "cached": sum(bool(one["cached"]) for one in said),
        "cost_usd": round(sum(one["cost_usd"] for one in said), 6),
    }
