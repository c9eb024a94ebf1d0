"""Whether two questions ask the same thing, so that the answer of one may serve the other.

A cosine cannot tell: "kept for 30 days" and "kept for 90 days", "is allowed" and "is not allowed" lie closer together than
most paraphrases (docs/adr/0025). So what an answer hangs on must be equal: the kind of question, numbers, identifiers,
negations and words like "before" or "only", and every word that carries the topic, in one order or the other around a
fronted phrase. Only the frame ("could you tell me …") and a short list of synonyms may differ. The words are kept as keyed
hashes, so that a fellow member who may see the entry cannot read what was asked.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from answers.rules.question import Question, kind_of
from answers.rules.support import is_negated, numbers_of
from answers.rules.words import content_terms

_ASK = (
    r"(?:can|could|would|will) (?:you|anyone|somebody|someone)|do you know|does (?:anyone|anybody) know|any idea|i wonder"
    r"|i(?:'d| would)? (?:like|want|need|wish) to (?:know|understand|learn|find out|ask)|i(?:'m| am) (?:wondering|curious)"
    r"|i(?:'m| am) (?:trying|looking) to (?:find out|understand|learn)|tell me|let me know|explain(?: to me)?|show me|remind me"
)
_SAY = r"tell me|explain(?: to me)?|show me|say|let me know|remind me|know|help me (?:understand|find out)"
_HOW = (
    r"how (?:can|could|should|would|might|must|does) (?:i|we|you|one|someone)|how do (?:we|you|people)|how to"
    r"|in what way (?:can|do) (?:i|we|you)|what(?: steps)? do i (?:need|have) to do to|what must i do to"
)
_WAY = r"(?:what(?:'s| is)|which is) (?:the|a) (?:best |right |correct |proper )?(?:way|method|procedure) (?:to|of|for)"
_FRAMES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), canonical)
    for pattern, canonical in (
        (r"^(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[,.!]?\s*", ""),
        (r"^(?:(?:please|kindly|quick question|just wondering|one question)\b[,:.]?\s*)+", ""),
        (rf"^(?:{_ASK})\b,?\s*(?:(?:please|kindly)\s+)?(?:{_SAY})?\b,?\s*(?:about\s+)?", ""),
        (r"[,.]?\s*\b(?:please|thanks|thank you|by any chance|exactly|actually)\b(?=\s*[?.!]*$)", ""),
        (rf"^{_WAY}\b", "how do i"),
        (rf"^(?:{_HOW})\b", "how do i"),
        (r"^(?:for what reason|how come|what is the reason(?: why| that)?)\b", "why"),
        (r"^(?:at what time|on (?:what|which) (?:day|date))\b", "when"),
        (r"^(?:in|at) (?:what|which) (?:place|location)\b", "where"),
        (r"^(?:what|which) person\b", "who"),
        (r"^what(?:'s| is) the (?:number|amount) of\b", "how many"),
        (r"^(\w+)'s\b", r"\1 is"),
        (r"n't\b", " not"),
    )
)
_OPERATIVE: Final = frozenset(
    re.findall(
        r"\w+",
        "before after since until till without within only never not no nor none than more less most least fewer above below"
        " over under by from instead except besides always ever still yet again first last next previous per against between"
        " both either neither into out off down during through via",
    )
)
"""Small words that turn a question; those that go with a verb ("set up") say nothing by themselves."""

ALIKE: Final = 0.80
"""The least cosine, with MiniLM, of two questions that ask the same by their words: a second look, not the first."""

_SYNONYMS: Final = """
delete remove erase; begin start commence; buy purchase; allow permit; price cost; maximum max; minimum min; phone telephone;
picture image photo photograph; login signin; folder directory; company firm; fix repair mend; quick fast rapid; large big;
help assist; car automobile; documentation docs; configuration config; database db; repository repo; application app;
environment env; authentication auth; employee staff; holiday vacation; select choose; obtain get; error fault; film movie;
find locate; end finish; construct build; gather collect; answer reply; illness sickness disease; infant baby; physician doctor
"""


def _canonical() -> dict[str, str]:
    groups = (group.split() for group in _SYNONYMS.split(";"))
    return {term: _terms_of(group[0])[0] for group in groups for word in group for term in _terms_of(word)[:1]}


def _terms_of(word: str) -> tuple[str, ...]:
    return content_terms(word) or (word,)


@dataclass(frozen=True, slots=True)
class Signature:
    """`exact` must be equal; `terms` are the words of the topic in order, hashed, synonyms under one hash."""

    exact: str
    terms: tuple[int, ...]


def signature(question: Question, key: bytes) -> Signature:
    """What another question is compared by. Two keys give unrelated signatures."""
    text = unframed(question.text)
    language = question.language or "en"
    found = content_terms(text, language)
    words = re.findall(r"[^\W\d_]+", text.casefold())
    operative = sorted(word for word in words if word in _OPERATIVE)
    exact = "\x1f".join(
        (
            kind_of(text),
            "not" if is_negated(text) else "",
            *operative,
            "#",
            *sorted(numbers_of(text)),
            "#",
            *sorted(question.identifiers),
        )
    )
    digest = hmac.new(key, exact.encode(), hashlib.sha256).hexdigest()
    return Signature(digest, tuple(_hashed(_CANONICAL.get(term, term), key) for term in found if term not in _ASKING))


def unframed(text: str) -> str:
    """The question without its courtesy, one way of asking for each kind."""
    plain = text.strip().replace("’", "'")
    for pattern, canonical in _FRAMES:
        plain = pattern.sub(canonical, plain, count=1).strip()
    return plain.strip(" ?!.,")


def same(first: Signature, second: Signature) -> bool:
    """Equal in all that an answer hangs on; the words in one order, or with a phrase moved from the end to the front.

    Two words are compared as they stand: with a pair, moved and exchanged are one ("Is A in B?").
    """
    if first.exact != second.exact or len(first.terms) != len(second.terms) or not first.terms:
        return False
    return first.terms == second.terms or (len(first.terms) > 2 and _is_rotated(first.terms, second.terms))


def _is_rotated(first: Sequence[int], second: Sequence[int]) -> bool:
    return any((*first[i:], *first[:i]) == tuple(second) for i in range(1, len(first)))


def _hashed(term: str, key: bytes) -> int:
    return int.from_bytes(hmac.new(key, term.encode(), hashlib.sha256).digest()[:8], "big", signed=True)


_CANONICAL: Final = _canonical()
_ASKING: Final = frozenset(
    term
    for word in ("tell", "explain", "know", "describe", "wonder", "please", "ask", "thank")
    for term in content_terms(word)
)
