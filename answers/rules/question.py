"""What was asked: cleaned, bounded and understood as far as rules can, before anything is searched."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from answers.rules.words import content_terms
from documents.text.codes import named_in
from documents.text.language import detect
from documents.text.normalise import clean
from retrieval.ranking.stopwords import COURTESY

MAX_CHARACTERS: Final = 4_000

Kind = Literal["who", "when", "where", "how_many", "which_version", "yes_no", "how_to", "why", "other"]
InvalidCode = Literal[
    "answers.question_empty",
    "answers.question_too_long",
    "answers.question_without_words",
    "answers.question_only_stop_words",
]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that can be searched.

    `terms` are distinct analysed terms in order of place, without stop words; `identifiers` those that name one exact
    thing, whole; `kind` is the kind of answer expected; `language` is an ISO 639-1 code, empty when too short to say.
    """

    text: str
    language: str
    terms: tuple[str, ...]
    identifiers: tuple[str, ...]
    kind: Kind


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """Courtesy, not a question: answered with courtesy, nothing is searched."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """Not searchable. `length` is the number of characters given, `limit` the most that are taken."""

    code: InvalidCode
    length: int
    limit: int = MAX_CHARACTERS


def read(raw: str) -> Question | SmallTalk | Invalid:
    """The question in `raw`, or why there is none. Never raises; only the length is looked at in an overlong text."""
    if len(raw) > MAX_CHARACTERS:
        return Invalid("answers.question_too_long", len(raw))
    text = tidy(raw)
    if not text:
        return Invalid("answers.question_empty", len(raw))
    if not any(c.isalnum() for c in text):
        return Invalid("answers.question_without_words", len(raw))
    language = detect(text)
    if _is_courtesy(text):
        return SmallTalk(text, language)
    terms = tuple(dict.fromkeys(content_terms(text, language)))
    if not terms:
        return Invalid("answers.question_only_stop_words", len(raw))
    return Question(text, language, terms, named_in(text), kind_of(text))


def tidy(raw: str) -> str:
    """NFC, without characters nobody can see, white space collapsed."""
    return " ".join(unicodedata.normalize("NFC", clean(raw)).split())


def kind_of(text: str) -> Kind:
    """The kind of answer asked for; the first pattern that fits decides, `other` when none does."""
    plain = unicodedata.normalize("NFD", text.casefold())
    plain = unicodedata.normalize("NFC", "".join(c for c in plain if not "\u0300" <= c <= "\u036f"))
    return next((kind for kind, pattern in _KINDS if pattern.search(plain)), "other")


def _is_courtesy(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text.casefold())
    return 0 < len(words) <= 6 and set(words) <= COURTESY and not set(words) <= _ONLY_FILLERS


_ONLY_FILLERS: Final = frozenset(
    ("there", "much", "very", "lot", "so", "many", "you", "well", "everyone", "good", "night", "morning", "evening")
)


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


_KINDS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    (
        "which_version",
        _pattern(
            r"\b(which|what|since what|since which|in which|from which) (\w+ ){0,3}(version|release)s?\b",
            r"\b(welche[rnms]?|quelle|que|qual) (\w+ )?(version|versao)\b",
            r"(哪个|哪個|什么|什麼)版本|どのバージョン",
        ),
    ),
    (
        "how_many",
        _pattern(
            r"\bhow (many|much|long|old|often|far|large|big|tall|high|fast|deep|wide|heavy)\b",
            r"\bwhat (is|was|are|were) (the )?(\w+ ){0,3}(number|amount|percentage|percent|population|size|price|cost"
            r"|limit|rate|maximum|minimum|length|height|temperature|distance)\b",
            r"\bwhat (percentage|percent|proportion|fraction|number)\b",
            r"\b(wie ?viele?|wie (lange|oft|hoch|gross|alt|weit)|combien|cuant[oa]s?|quant[oia]s?|hoeveel|сколько)\b",
            r"多少|几个|幾個|いくつ|いくら|何人|何個|얼마|몇|กี่",
        ),
    ),
    (
        "when",
        _pattern(
            r"\bwhen\b",
            r"\b(what|which|in what|in which) (\w+ )?(year|date|day|month|century|decade|time period)s?\b",
            r"\b(wann|quand|cuando|quando|wanneer|когда|متى)\b|(в каком|in welchem|en que|en quelle) \w+",
            r"什么时候|什麼時候|何时|何時|哪一?年|いつ|언제|เมื่อ",
        ),
    ),
    (
        "who",
        _pattern(
            r"\b(who|whom|whose)\b",
            r"\bwhat (\w+ )?(person|company|organization|organisation|team|author|king|queen|president)\b",
            r"\b(wer|wen|wem|wessen|qui|quien|quienes|chi|quem|wie is|кто|кем|кого)\b|谁|誰|だれ|누가|누구|ใคร",
        ),
    ),
    (
        "where",
        _pattern(
            r"\bwhere\b|\b(in|at|from) (what|which) (\w+ )?(city|country|place|state|region)\b",
            r"\b(wo|wohin|donde|ou est|dove|onde|waar|где)\b|哪里|哪裡|どこ|어디|ที่ไหน",
        ),
    ),
    (
        "why",
        _pattern(
            r"\bwhy\b|\bfor what reason\b|\b(warum|wieso|pourquoi|por que|perche|waarom|почему)\b",
            r"为什么|為什麼|なぜ|どうして|왜|ทำไม",
        ),
    ),
    (
        "how_to",
        _pattern(
            r"\bhow (do|can|could|should|would|to|does one|might)\b",
            r"\b(wie (kann|macht|mache|muss|soll|richte|wird|werden)|comment|como|come (si|posso|faccio)|hoe|как)\b",
            r"如何|怎么|怎麼|どうすれば|どうやって|どのように|어떻게|อย่างไร",
        ),
    ),
    (
        "yes_no",
        _pattern(
            r"^(is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|must|am) ",
            r"^(isn't|aren't|doesn't|don't) ",
            r"^(ist|sind|war|kann|gibt es|est-ce|hay|es|puede|e possibile) |吗[？?]?$|嗎[？?]?$|ますか[？?。]?$",
        ),
    ),
)  # fmt: skip
