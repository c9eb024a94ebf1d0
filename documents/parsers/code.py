"""Source code as it is written: a function, class or statement of schema is a unit, under the name it defines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from documents.parsers.outcome import Limits, Refused
from documents.parsers.written import opened
from documents.text.section import Parsed

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|extern|"
    r"unsafe|pub(?:\([\w: ]+\))?|open|sealed|data|suspend|const|declare|readonly|partial)\s+)*"
)
_DEFINES = re.compile(
    rf"^(\s*){_MODIFIERS}(?:"
    r"(?:def|class|function\*?|func|fn|fun|interface|struct|enum|trait|impl|module|namespace|object|protocol|record|"
    r"type|message|service|resource|defmodule|defp?|sub|macro_rules!|procedure)\s+([^\s({:;=]+(?:\s+for\s+\w+)?)"
    r"|(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|\w+\s*=>)"
    r"|(?:create|alter)\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+)?"
    r"(?:table|view|function|procedure|index|trigger|type|schema|policy)\s+(?:if\s+not\s+exists\s+)?([\w.\"`]+)"
    r")",
    re.IGNORECASE,
)
# C and its kin: a type, a name and an opening bracket at the left edge, and no semicolon.
_C_FUNCTION = re.compile(
    r"^()(?!return\b|if\b|for\b|while\b|switch\b|else\b)[A-Za-z_][\w:<>,*&\s\[\]]*[\s*&]([\w:~]+)\s*\([^;]*$"
)
_SECTION = re.compile(r"^()\[+([^\[\]]+)\]+\s*(?:[#;].*)?$")
_LEADING = re.compile(r"^\s*(?:#(?!include|define|if|endif|pragma)|//|/\*|\*|--|@|\"\"\"|<!--|'''|\[[A-Z])")
_GO_METHOD = re.compile(r"^()func\s+\([^)]*\)\s*(\w+)")
_MOST_LINES = 20_000
_TAB = 4


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read source code. The comments above a definition belong to it; what stands before the first is a unit too."""
    found = opened(path, "source code", "code", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    lines = text.split("\n")
    starts = list(_starts(lines)) if len(lines) <= _MOST_LINES else []
    before = starts[0][0] if starts else len(lines)
    builder.code("\n".join(lines[:before]))
    for index, (line, level, name) in enumerate(starts):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(lines)
        builder.heading(level, name)
        builder.code("\n".join(lines[line:end]))
    return builder.finish()


def _starts(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, level, name) of each definition of the outer two levels."""
    last = 0
    for number, line in enumerate(lines):
        if len(line) > 500:
            continue
        found = _GO_METHOD.match(line) or _DEFINES.match(line) or _SECTION.match(line) or _C_FUNCTION.match(line)
        if not found:
            continue
        indent = len(found.group(1).expandtabs(_TAB))
        name = next((group for group in found.groups()[1:] if group), "")
        if indent > _TAB or not name:
            continue
        first = _with_comments(lines, number, last)
        yield first, 1 if indent == 0 else 2, name.strip("\"`'")
        last = number + 1


def _with_comments(lines: list[str], line: int, least: int) -> int:
    while line > least and _LEADING.match(lines[line - 1]):
        line -= 1
    return line
