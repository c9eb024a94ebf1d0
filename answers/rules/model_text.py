"""A model's text as data: links, images and emphasis reduced to their words before it is audited, kept or shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from answers.rules.markers import code_spans

_IMAGE: Final = re.compile(r"!\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_LINK: Final = re.compile(r"(?<!!)\[([^\]\n]+)\]\((?:[^)\n]*)\)")
_DEFINITION: Final = re.compile(r"(?m)^[ \t]*\[[^\]\n]+\]:[ \t]*\S+.*$\n?")
_EMPHASIS: Final = re.compile(r"(?<![\w*])(\*\*|__)(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_HEADING: Final = re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+")
_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_BLANKS: Final = re.compile(r"\n{3,}")


def plain(text: str) -> str:
    """Without link targets, images, emphasis and heading marks outside code, and without control and hidden characters.

    HTML stays as the characters that it is: whoever shows the text escapes it. Idempotent.
    """
    text = _CONTROL.sub("", text.replace("\r\n", "\n"))
    return _BLANKS.sub("\n\n", _outside_code(text, _reduced)).strip()


def _reduced(text: str) -> str:
    text = _IMAGE.sub(r"\1", text)
    text = _LINK.sub(_label, text)
    text = _DEFINITION.sub("", text)
    text = _EMPHASIS.sub(r"\2", text)
    return _HEADING.sub("", text)


def _label(match: re.Match[str]) -> str:
    """`[3](url)` is a citation with a target of its own: the marker stays, the target goes."""
    label = match[1]
    return f"[{label}]" if re.fullmatch(r"\^?\d{1,4}", label) else label


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in code_spans(text):
        parts += [change(text[at:start]), text[start:end]]
        at = end
    return "".join((*parts, change(text[at:])))
