"""Tell identifiers (names in code, codes, versions, paths) from words, and take them apart."""

from __future__ import annotations

import re

_QUOTES = " \t\n\r\"'“”‘’«»„`*[]{}<>|,;!?…"
_OPENING = _QUOTES + "("
_CLOSING = _QUOTES + ".:"
_LONGEST = 200
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"^(?:[a-z]{1,}[A-Z]|[A-Z][a-z0-9]+[A-Z][a-z0-9])[A-Za-z0-9]*$")
_VERSION = re.compile(r"^v?\d+(?:\.\d+){2,}(?:[-.+]?[a-z0-9]+)*$|^v\d+(?:\.\d+)*$", re.IGNORECASE)
_EMAIL = re.compile(r"^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$")
_DOTTED = re.compile(r"^\.?[^\W\d]\w+(?:\.[^\W\d]\w*)+$")
_PATH = re.compile(
    r"^(?:~|\.{1,2})?/[\w.{}:@%+-]+(?:/[\w.{}:@%+-]*)*$|^[\w.@+-]+(?:/[\w.{}:@%+-]+){2,}/?$|^[\w-]+/[\w-]+\.\w+$"
)
_FLAG = re.compile(r"^--?[A-Za-z][\w-]*$")
_LETTER_THEN_DIGIT = re.compile(r"^[A-Za-z][\w]*(?:[-_.:/#]\w+)*$")
_DIGIT_THEN_LETTER = re.compile(r"^\d+[a-z]+\d+[a-z0-9]*$", re.IGNORECASE)
_NUMBER = re.compile(r"^#?\d+$")
_INITIALS = re.compile(r"^(?:\w\.)+\w?$")
# Shaped like CamelCase, used as plain words: an exact hit on them says nothing about the question.
_BRANDS = frozenset((
    "github", "gitlab", "javascript", "typescript", "youtube", "iphone", "ipad", "macos", "linkedin", "paypal",
    "postgresql", "mysql", "whatsapp", "facebook", "wordpress", "openai", "chatgpt", "powerpoint", "sharepoint",
    "onedrive", "wechat", "airbnb", "ebay", "mcdonald", "mckinsey", "bitcoin",
))  # fmt: skip


def strip_edges(raw: str) -> str:
    """Take quotes, brackets and sentence punctuation off both ends of a token; `name()` becomes `name`."""
    return raw.lstrip(_OPENING).rstrip(_CLOSING + "()")


def is_identifier(raw_token: str) -> bool:
    """Say whether a token as written names one thing: `E4304`, `createSession`, `2.0.10`, `/v1/charges`, `--flag`.

    Ordinary words, hyphenated words, years, round numbers and abbreviations do not.
    """
    if len(raw_token) > _LONGEST:
        return False
    if raw_token.rstrip(".,;:!?").endswith("()"):
        return any(map(str.isalpha, raw_token))
    bare = strip_edges(raw_token)
    if len(bare) < 2 or _INITIALS.match(bare) or bare.lower().rstrip("s").rstrip("'’") in _BRANDS:
        return False
    if bare.isalpha():
        return bool(_CAMEL.match(bare))
    if _NUMBER.match(bare):
        return _is_telling_number(bare.lstrip("#"))
    if "_" in bare or "::" in bare or "://" in bare:
        return any(map(str.isalnum, bare))
    shapes = (_VERSION, _EMAIL, _DOTTED, _PATH, _FLAG, _DIGIT_THEN_LETTER, _CAMEL)
    if any(shape.match(bare) for shape in shapes):
        return True
    return any(map(str.isdigit, bare)) and bool(_LETTER_THEN_DIGIT.match(bare))


def _is_telling_number(digits: str) -> bool:
    if len(digits) == 4:
        return not (1500 <= int(digits) <= 2100 or digits.endswith("00"))
    return len(digits) > 4 and not digits.endswith("000")


def parts(whole: str) -> list[str]:
    """Split an identifier at punctuation and case humps, in order; `createSession_v2` gives create, Session, v, 2.

    A version gives `major.minor` alone, so that 2.0.10 is near every 2.0 and never near 2.0.1.
    """
    if _VERSION.match(whole):
        numbers = whole.lstrip("vV").split(".")
        return [".".join(numbers[:2])] if len(numbers) > 2 else [".".join(numbers)]
    if not any(map(str.isupper, whole[1:])):
        return _PARTS.findall(whole)
    return [part for hump in _HUMP.split(whole) for part in _PARTS.findall(hump)]
