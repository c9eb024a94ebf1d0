"""One ticket, whichever system wrote it, and how it reads: its facts, its words, its comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from documents.parsers.builder import Builder, flow
from documents.parsers.changelog import date_in
from documents.parsers.inner import add_words
from documents.parsers.plain_values import Plain, dicts_in, first_text, text_at, value_of_plain
from documents.parsers.records import Records
from documents.text.section import Entry

_PERSON = (
    "displayName",
    "display_name",
    "name",
    "full_name",
    "login",
    "email",
    "emailAddress",
    "from_email",
    "user_email",
)
_NOISE = re.compile(r"(?:_url|^url|^self|^node_id|^expand|^gravatar_id|^avatar.*)$")
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Comment:
    author: str
    at: str
    words: str
    is_internal: bool = False


@dataclass(slots=True)
class Ticket:
    """`name` is what its heading begins with: "Ticket 12", "ED-1", "#1347". `facts` are told in their order, empty ones not."""

    ident: str
    name: str
    title: str
    url: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list)
    words: str = ""
    comments: list[Comment] = field(default_factory=list)
    rest: dict[str, Plain] = field(default_factory=dict)
    date: str = ""


def add_ticket(records: Records, ticket: Ticket) -> None:
    """Write a ticket as an entry under its heading; what the export holds besides comes last, under its own names."""
    builder = records.builder
    title = flow(ticket.title) or "(no subject)"
    heading = f"{ticket.name}: {title}" if ticket.name else title
    created = ticket.date or next((value for name, value in ticket.facts if name == "Created"), "")
    builder.begin(Entry("ticket", ticket.ident or heading, heading, ticket.url, date_in(created)[0] or created))
    builder.heading(1, heading)
    facts = [("URL", ticket.url), *ticket.facts]
    builder.items("\n".join(f"- {name}: {flow(value)}" for name, value in facts if value.strip()))
    add_words(builder, ticket.words)
    for comment in ticket.comments:
        _comment(builder, comment)
    records.write(value_of_plain(ticket.rest))
    builder.leave()


def _comment(builder: Builder, comment: Comment) -> None:
    if not comment.words.strip():
        return
    what = "Internal note" if comment.is_internal else "Comment"
    by = f" by {flow(comment.author)}" if comment.author.strip() else ""
    at = f", {comment.at}" if comment.at else ""
    builder.prose(f"{what}{by}{at}:")
    add_words(builder, comment.words)


def words_of(value: Plain) -> str:
    """The words of a body: as they are, or of a document in Atlassian's format."""
    if isinstance(value, str):
        return value
    return "\n\n".join(filter(None, _blocks(value, 0))) if isinstance(value, dict) else ""


def _blocks(node: dict[str, Plain], depth: int) -> Iterator[str]:
    """The paragraphs, items, rows and blocks of code of an Atlassian document."""
    kind = text_at(node, "type")
    children = list(dicts_in(node.get("content")))
    if depth > _DEEPEST:
        return
    if kind in ("paragraph", "heading", "codeBlock"):
        text = "".join(_inline(child) for child in children)
        yield f"```\n{text}\n```" if kind == "codeBlock" else text
    elif kind == "listItem":
        yield f"- {' '.join(text for child in children for text in _blocks(child, depth + 1))}"
    elif kind in ("bulletList", "orderedList"):
        yield "\n".join(text for child in children for text in _blocks(child, depth + 1))
    elif kind == "tableRow":
        yield " | ".join(" ".join(_blocks(child, depth + 1)) for child in children)
    elif children:
        for child in children:
            yield from _blocks(child, depth + 1)
    else:
        yield _inline(node)


def _inline(node: dict[str, Plain]) -> str:
    if text_at(node, "type") == "hardBreak":
        return "\n"
    text = node.get("text")
    attributes = node.get("attrs")
    return text if isinstance(text, str) else first_text(attributes, "text", "shortName", "url")


def person(value: Plain) -> str:
    """A person by the best name that is given."""
    return value.strip() if isinstance(value, str) else first_text(value, *_PERSON)


def named(value: Plain) -> str:
    """One thing, or several of them, by their names: `{"name": "Open"}`, `["bug", {"name": "ui"}]`, `{"nodes": […]}`."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        inner = value.get("nodes")
        return (
            named(inner)
            if isinstance(inner, list)
            else first_text(value, "displayName", "name", "value", "title", "key", "login")
        )
    if isinstance(value, list):
        return ", ".join(text for one in value if (text := named(one)))
    return ""


def without_noise(value: Plain, depth: int = 0) -> Plain:
    """What is left of a value without the addresses that only programs call, and without what is empty."""
    if depth > _DEEPEST:
        return ""
    if isinstance(value, dict):
        kept = {name: without_noise(inner, depth + 1) for name, inner in value.items() if not _NOISE.search(name)}
        return {name: inner for name, inner in kept.items() if inner not in ("", {}, [])}
    return [without_noise(one, depth + 1) for one in value] if isinstance(value, list) else value
