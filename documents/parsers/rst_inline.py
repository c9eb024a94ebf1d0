"""The inline markup of reStructuredText: roles, references and emphasis become the words a reader sees."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LITERAL = re.compile(r"``(.{1,2000}?)``(?!`)", re.DOTALL)
_ROLE = re.compile(r":([\w:+.-]+):`((?:[^`\\]|\\.)*)`|`((?:[^`\\]|\\.)*)`:([\w:+.-]+):")
_PHRASE = re.compile(r"`((?:[^`\\]|\\.)+)`(?:__?)?")
_TARGET = re.compile(r"^(.*?)\s*<([^<>]*)>$", re.DOTALL)
_STRONG = re.compile(r"\*\*(?=\S)(.{1,1000}?)(?<=\S)\*\*", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]{1,1000}?)(?<=\S)\*(?!\w)", re.DOTALL)
_FOOTNOTE = re.compile(r"\[(#?[\w.-]*|\*)\]_")
_REFERENCE = re.compile(r"\b([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)__?(?![\w_`])")
_SUBSTITUTION = re.compile(r"\|([^|\s](?:[^|\n]*[^|\s])?)\|(?:__?)?")
_ESCAPE = re.compile(r"\\(\s?)(.?)", re.DOTALL)
_HELD = re.compile("\ue000(\\d+)\ue001")


def inline(text: str, substitutions: Mapping[str, str]) -> str:
    """Return the words of a paragraph. Literals and role texts are kept as written; addresses go."""
    held: list[str] = []

    def hold(words: str) -> str:
        held.append(words)
        return f"\ue000{len(held) - 1}\ue001"

    if "`" in text:
        text = _LITERAL.sub(lambda found: hold(found.group(1)), text)
        text = _ROLE.sub(lambda found: hold(_role_words(found.group(2) if found.group(1) else found.group(3))), text)
        text = _PHRASE.sub(lambda found: hold(_reference_words(found.group(1))), text)
    if "|" in text:
        text = _SUBSTITUTION.sub(lambda found: substitutions.get(found.group(1), found.group(0)), text)
    if "*" in text:
        text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
    if "_" in text:
        text = _REFERENCE.sub(r"\1", _FOOTNOTE.sub(r"[\1]", text))
    if "\\" in text:
        text = _ESCAPE.sub(r"\2", text)
    while held and "\ue000" in text:
        text = _HELD.sub(lambda found: held[int(found.group(1))] if int(found.group(1)) < len(held) else "", text)
    return text


def _role_words(content: str) -> str:
    """`Title <target>` gives the title, `~a.b.c` gives c, `!name` gives name."""
    content = _unescaped(content)
    if (found := _TARGET.match(content)) and found.group(1):
        return found.group(1)
    if content.startswith("~"):
        return content[1:].rpartition(".")[2]
    return content.lstrip("!")


def _reference_words(content: str) -> str:
    content = _unescaped(content)
    found = _TARGET.match(content)
    return (found.group(1) or found.group(2)) if found else content


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) if "\\" in text else text
