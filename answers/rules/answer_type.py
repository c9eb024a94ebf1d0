"""Whether a text holds the kind of thing a question asks for: a date, a number, a name, a version, a reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from answers.rules.question import Kind, Question

_MONTHS: Final = (
    r"jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch|s)?|märz|apr(?:il)?|ma[iy]|june?|juni|july?|juli"
    r"|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|janvier|février|avril"
    r"|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio"
    r"|agosto|septiembre|octubre|noviembre|diciembre|января|февраля|марта|апреля|мая|июня|июля|августа"
    r"|сентября|октября|ноября|декабря"
)
_DATE: Final = re.compile(
    rf"\b(?:1[0-9]|20)\d\ds?\b|\b\d{{1,4}}\s?(?:BCE?|AD|CE)\b|\b(?:{_MONTHS})\b\.?\s+\d"
    rf"|\d(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?:{_MONTHS})\b"
    r"|\b\d\d?[./-]\d\d?[./-]\d\d(?:\d\d)?\b|\b(?:mid|early|late)[- ](?:\w+[- ])?\d\d|\b\w+[- ]centur"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:spring|summer|autumn|winter) of\b|\d年|\d월",
    re.IGNORECASE,
)
_DATE_WORD: Final = re.compile(rf"(?:{_MONTHS})|(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.IGNORECASE)
_WORD_NUMBER: Final = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|trillion"
    r"|dozen|half|third|quarter|twice|once|double|triple|several|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn"
    r"|deux|trois|quatre|cinq|dix)s?\b"
)
_NUMBER: Final = re.compile(rf"\d|{_WORD_NUMBER}|[一二三四五六七八九十百千万億亿两]", re.IGNORECASE)
_VERSION: Final = re.compile(
    r"\bv?\d+\.\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|dev|post)\.?\d*)?\b|\bversion \d+|\bv\d+\b", re.IGNORECASE
)
_NAME: Final = re.compile(
    r"(?<![.!?…:]\s)(?<!^)(?<![\w\"“'(])[A-ZÀ-ÞА-Я][\w'’.-]+"
    r"|\b[A-ZÀ-Þ][\w'’-]+(?:\s+(?:(?:of|de|von|van|the)\s+)?[A-ZÀ-Þ][\w'’.-]*)+"
)
_REASON: Final = re.compile(
    r"\b(?:because|due to|owing to|since|so that|in order|therefore|thus|hence|result(?:s|ed|ing)?|reasons?"
    r"|caus(?:e[sd]?|ing)|led to|lead(?:s|ing)? to|as a|thanks to|prevents?|avoids?|allow(?:s|ed|ing)?|ensures?"
    r"|weil|denn|wegen|parce|car|afin|porque|debido|потому)\b"
    r"|因为|因此|由于|ため|から",
    re.IGNORECASE,
)
_PROCEDURE: Final = re.compile(
    r"\b(?:you (?:can|could|should|need|must|may|have to)|use[sd]?|using|to \w+,|by \w+ing|run|set|add|create|call"
    r"|pass|define|declare|install|configure|enable|import|click|select|choose|open|make sure|first|then|via|through)\b"
    r"|`[^`]+`|::",
    re.IGNORECASE,
)


def fits(question: Question, text: str) -> float:
    """How well `text` holds what is asked for, in [0, 1]; 0 for the kinds that ask for nothing special.

    What the question itself says does not count: the year in "Who won in 2004?" is no answer to "when".
    """
    return _CHECKS.get(question.kind, _nothing)(text, question.text)


def holds_date(text: str) -> bool:
    return bool(_DATE.search(text))


def is_date_word(word: str) -> bool:
    """A month or a day of the week by its name."""
    return bool(_DATE_WORD.fullmatch(word))


def _found_beside(pattern: re.Pattern[str], text: str, asked: str) -> float:
    known = asked.casefold()
    return float(any(match[0].casefold().strip() not in known for match in pattern.finditer(text)))


def _date(text: str, asked: str) -> float:
    return _found_beside(_DATE, text, asked)


def _number(text: str, asked: str) -> float:
    known = set(_numbers_in(asked))
    return float(any(number not in known for number in _numbers_in(text)))


@lru_cache(maxsize=2048)
def _numbers_in(text: str) -> tuple[str, ...]:
    return tuple(match[0].casefold() for match in re.finditer(rf"\d[\d,.]*|{_NUMBER.pattern}", text, re.IGNORECASE))


def _name(text: str, asked: str) -> float:
    known = asked.casefold()
    return float(any(any(w.casefold() not in known for w in match[0].split()) for match in _NAME.finditer(text)))


def _version(text: str, asked: str) -> float:
    return _found_beside(_VERSION, text, asked)


def _reason(text: str, asked: str) -> float:
    return float(bool(_REASON.search(text)))


def _procedure(text: str, asked: str) -> float:
    return float(bool(_PROCEDURE.search(text)))


def _nothing(text: str, asked: str) -> float:
    return 0.0


_CHECKS: Final[dict[Kind, Callable[[str, str], float]]] = {
    "when": _date,
    "how_many": _number,
    "who": _name,
    "where": _name,
    "which_version": _version,
    "why": _reason,
    "how_to": _procedure,
}
