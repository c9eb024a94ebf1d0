"""LaTeX: headings, lists, tables and verbatim text; other commands give the words in their braces. Nothing is expanded."""

from __future__ import annotations

import re
from pathlib import Path

from documents.parsers.builder import Builder, flow
from documents.parsers.outcome import Limits, Refused
from documents.parsers.tex_words import balanced, words
from documents.parsers.written import opened
from documents.text.section import Parsed

_LEVELS = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 7,
}
_COMMENT = re.compile(r"(?<!\\)%.*(?:\n[ \t]*)?")
_PARTS = re.compile(
    r"\\begin\s*\{(verbatim\*?|lstlisting|minted|Verbatim|alltt|tabular[x*]?|longtable|array|itemize|enumerate|description)\}"
    r"|\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph|title|caption)\*?\s*(?:\[[^\]\n]*\])?\s*(?=\{)"
    r"|\n[ \t]*\n"
)
_VERBATIM = frozenset(("verbatim", "verbatim*", "lstlisting", "minted", "Verbatim", "alltt"))
_LISTS = frozenset(("itemize", "enumerate", "description"))
_PICTURE = re.compile(r"\\includegraphics\s*(?:\[[^\]]*\])?\s*\{([^}]*)\}")
_INCLUDE = re.compile(r"\\(?:input|include|subfile)\s*\{([^}]*)\}")
_ITEM = re.compile(r"\\item\b\s*(?:\[([^\]]*)\])?")


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a LaTeX file; formulas stay as they are written, other files it names are listed and not read."""
    found = opened(path, "LaTeX", "tex", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    for name in _PICTURE.findall(text):
        builder.skip("picture", name, "not read")
    for name in _INCLUDE.findall(text):
        builder.skip("include", name, "not read")
    _blocks(builder, _body(builder, text))
    return builder.finish()


def _body(builder: Builder, text: str) -> str:
    """The document without its preamble, whose title is kept. A file that is part of a document is all body."""
    preamble, begin, body = text.partition(r"\begin{document}")
    if not begin:
        return text
    if (at := preamble.find(r"\title")) >= 0:
        builder.title = flow(words(balanced(preamble, preamble.find("{", at))[0]))
    return body.partition(r"\end{document}")[0]


def _blocks(builder: Builder, text: str) -> None:
    at = 0
    while found := _PARTS.search(text, at):
        _prose(builder, text[at : found.start()])
        environment, command = found.groups()
        if environment:
            at = _environment(builder, text, environment, found.end())
        elif command:
            inner, at = balanced(text, found.end())
            if command in _LEVELS:
                builder.heading(_LEVELS[command], words(_COMMENT.sub("", inner)))
            elif command == "title" and not builder.title:
                builder.title = flow(words(inner))
            else:
                builder.prose(flow(words(_COMMENT.sub("", inner))))
        else:
            at = found.end()
    _prose(builder, text[at:])


def _environment(builder: Builder, text: str, name: str, start: int) -> int:
    """Add what an environment holds; returns where it ends."""
    close = rf"\end{{{name}}}"
    end = _closing(text, name, start) if name in _LISTS else text.find(close, start)
    end = end if end >= 0 else len(text)
    body = text[start:end]
    if name in _VERBATIM:
        builder.code(re.sub(r"^\s*(?:\[[^\]\n]*\])?(?:\{[^}\n]*\})?", "", body, count=1))
    elif name in _LISTS:
        _list(builder, _COMMENT.sub("", body), 0)
    else:
        _table(builder, _COMMENT.sub("", body))
    return end + len(close)


def _closing(text: str, name: str, start: int) -> int:
    """Where the list that starts here ends, lists of its kind inside it counted."""
    depth = 1
    for found in re.compile(rf"\\(begin|end)\s*\{{{re.escape(name)}\}}").finditer(text, start):
        depth += 1 if found.group(1) == "begin" else -1
        if depth == 0:
            return found.start()
    return -1


def _list(builder: Builder, body: str, depth: int) -> None:
    lines = []
    pieces = _ITEM.split(re.sub(r"\\(?:begin|end)\s*\{(?:itemize|enumerate|description)\}(?:\[[^\]]*\])?", "", body))
    for label, item in zip(pieces[1::2], pieces[2::2], strict=False):
        text = flow(words(item))
        if text or label:
            lines.append(f"- {words(label) + ': ' if label else ''}{text}")
    builder.prose(flow(words(pieces[0])))
    builder.items("\n".join(lines))


def _table(builder: Builder, body: str) -> None:
    body = re.sub(r"^\s*(?:\[[^\]]*\]|\{(?:[^{}]|\{[^{}]*\})*\})*", "", body)
    body = re.sub(r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^}]*\}|cmidrule(?:\([^)]*\))?\{[^}]*\})", "", body)
    rows = []
    for line in re.split(r"\\\\(?:\[[^\]]*\])?", body):
        cells: list[str] = []
        for cell in re.split(r"(?<!\\)&", line):
            spans = re.match(r"\s*\\multicolumn\s*\{(\d{1,2})\}", cell)
            text = flow(words(re.sub(r"\\multi(?:column|row)\s*\{[^}]*\}\s*\{[^}]*\}", "", cell)))
            cells += [text] * (int(spans.group(1)) if spans else 1)
        rows.append(cells)
    builder.table(rows)


def _prose(builder: Builder, text: str) -> None:
    if text.strip():
        builder.prose(flow(words(_COMMENT.sub("", text))))
