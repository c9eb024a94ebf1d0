"""Mailboxes (mbox): one message a unit under its subject, read as single e-mail files are."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from pathlib import Path

from documents.parsers.builder import Builder
from documents.parsers.eml import add_message, header
from documents.parsers.outcome import Limits, Refused
from documents.text.section import Parsed

_FROM = re.compile(rb"\AFrom [^\r\n]*\r?\n|\r?\n\r?\nFrom [^\r\n]*\r?\n(?=[\w-]+:)")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_MOST = 20_000


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a mailbox. Messages beyond the most that are read are reported."""
    data = path.read_bytes()
    builder = Builder("email")
    for number, source in enumerate(_messages(data), 1):
        if number > _MOST:
            builder.skip("message", f"message {number:,} and what follows", f"the limit is {_MOST:,} messages")
            break
        message = email.message_from_bytes(_QUOTED.sub(rb"\1", source), policy=email.policy.default)
        if source.strip():
            builder.heading(1, header(message, "Subject") or f"Message {number}")
            add_message(builder, message, 2)
    if not builder.characters:
        return Refused("documents.mislabelled", "Its name says mailbox, but it holds no message.")
    return builder.finish()


def _messages(data: bytes) -> Iterator[bytes]:
    starts = list(_FROM.finditer(data))
    for found, following in zip(starts, [*starts[1:], None], strict=False):
        yield data[found.end() : following.start() if following else len(data)]
