"""What tells how to do something: the command, the steps, the sentence in the imperative; not the sentence before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from answers.rules.units import Unit

_VERBS: Final = (
    "add|apply|assign|build|call|change|check|choose|click|configure|connect|copy|create|declare|define|delete|deploy|disable"
    "|download|enable|enter|execute|export|go to|import|include|inherit|install|log in|make sure|mount|move|name|navigate"
    "|open|override|pass|paste|pick|place|press|put|raise|register|remove|rename|replace|restart|return|run|save|select"
    "|send|set|sign in|specify|start|stop|store|switch|tap|tick|toggle|turn|type|unpack|update|upload|use|visit|wrap|write"
)
_IMPERATIVE: Final = re.compile(
    rf"^[\W\d_]*(?:(?:first|then|next|now|finally|so|just|simply|also|instead|afterwards?|please),?\s+)*(?:{_VERBS})\b"
    rf"|^(?:to|for) [^.;:]{{3,80}},\s+(?:(?:first|just|simply|please)\s+)?(?:{_VERBS})\b"
    rf"|\byou (?:can|could|should|must|have to|need to|may|would)\s+(?:also\s+|then\s+|just\s+|simply\s+)?(?:{_VERBS})\b",
    re.IGNORECASE,
)
_ANNOUNCES: Final = re.compile(
    r"^(?:(?:in|on|during) (?:this|the (?:next|following|previous)) (?:\w+ )?(?:section|chapter|page|guide|tutorial|part)"
    r"|this (?:section|chapter|page|guide|tutorial|document|article)\b|here (?:you|we|are|is)\b"
    r"|(?:you|we)(?:'ve| have)? (?:saw|seen|already|just)\b|you(?:'ll| will) (?:see|learn|find|read)\b|i(?:'ll| will|'d)\b"
    r"|let'?s (?:see|look|say|imagine|focus|start|now)\b|the (?:first|next|last|following) (?:step|section|thing|chapter)\b"
    r"|there (?:are|is) (?:\w+ ){0,3}(?:ways?|steps?|options?)\b|(?:learn|how) (?:how )?to\b|imagine\b|remember\b|note that\b"
    r"|as (?:you|we)\b|by now\b|(?:now )?that (?:you|we)\b|and then you\b|/[\w/-]+\s)"
    r"|\bthere are (?:several|many|various|different|two|three) (?:ways|options|steps)\b|\bi'll explain\b",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"(?:^|\n)[ \t]*\(?\d{1,3}[.)][ \t]+$")


def is_instruction(text: str) -> bool:
    """A sentence that tells the reader to do something; one that only announces it is none."""
    return bool(_IMPERATIVE.search(text)) and not is_lead_in(text)


def is_lead_in(text: str) -> bool:
    """A sentence that says what is about to be said, or what was, and tells nothing itself."""
    return bool(_ANNOUNCES.search(text.lstrip(" *_>\"'“(")))


def is_step(text: str, unit: Unit) -> bool:
    """An item of a numbered list, or one that tells to do something; `text` is the passage's."""
    if unit.kind != "item":
        return False
    return bool(_NUMBERED.search(text[max(0, unit.start - 16) : unit.start])) or is_instruction(
        text[unit.start : unit.end]
    )


def shown_by(text: str, found: Sequence[Unit], place: int) -> bool:
    """Whether code or numbered steps follow the unit at `place` at once: the command that a sentence is about."""
    after = found[place + 1] if place + 1 < len(found) else None
    if after is None or text[found[place].end : after.start].count("\n\n") > 1:
        return False
    return after.kind == "code" or is_step(text, after)
