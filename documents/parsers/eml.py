"""E-mail with the standard library: who, when, about what, and the body; attachments are named and not read."""

from __future__ import annotations

import email
import email.policy
from email.errors import MessageError
from email.message import EmailMessage
from pathlib import Path

from documents.parsers.builder import Builder
from documents.parsers.html import add_html, declared_charset
from documents.parsers.outcome import Limits, Refused
from documents.text.normalise import decode
from documents.text.section import Parsed

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_DEEPEST = 8


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a message. Of two forms of the same body the plain one is read; forwarded messages stand under a heading."""
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    if not message.keys():
        return Refused("documents.mislabelled", "Its name says e-mail, but it has no header lines.")
    builder = Builder("email")
    builder.title = header(message, "Subject")
    builder.metadata = {name.lower(): header(message, name) for name in _SHOWN}
    add_message(builder, message, 1)
    return builder.finish()


def add_message(builder: Builder, message: EmailMessage, depth: int) -> None:
    """Add a message: its headers, its body, and the messages attached to it under headings of the given depth."""
    headers = [(name, header(message, name)) for name in _SHOWN]
    builder.prose("\n".join(f"{name}: {value}" for name, value in headers if value))
    body = message.get_body(preferencelist=("plain", "html"))
    if body is not None and not _has_words(body):
        body = message.get_body(preferencelist=("html",)) or body
    if isinstance(body, EmailMessage):
        _add_body(builder, body)
    for part in message.iter_attachments():
        _attachment(builder, part, depth)


def _attachment(builder: Builder, part: EmailMessage, depth: int) -> None:
    if part.get_content_type() == "message/rfc822" and depth < _DEEPEST:
        inner = part.get_content()
        builder.heading(depth, header(inner, "Subject") or "Forwarded message")
        add_message(builder, inner, depth + 1)
    else:
        builder.skip("attachment", part.get_filename() or part.get_content_type(), "not read")


def _add_body(builder: Builder, body: EmailMessage) -> None:
    data = body.get_payload(decode=True)
    if not isinstance(data, bytes):
        return
    declared = str(body.get_content_charset() or "")
    is_html = body.get_content_type() == "text/html"
    decoded = decode(data, declared=declared or (declared_charset(data) if is_html else ""))
    builder.encoding = decoded.encoding
    if is_html:
        title = builder.title
        add_html(builder, decoded.text)
        builder.title = title
        return
    for paragraph in decoded.text.replace("\r\n", "\n").split("\n\n"):
        builder.prose(paragraph)


def _has_words(body: object) -> bool:
    data = body.get_payload(decode=True) if isinstance(body, EmailMessage) else None
    return isinstance(data, bytes) and bool(data.strip())


def header(message: EmailMessage, name: str) -> str:
    """A header on one line, "" when it is missing or malformed beyond reading."""
    try:
        return " ".join(str(message.get(name, "")).split())
    except (MessageError, ValueError, IndexError, AttributeError):
        return ""
