from __future__ import annotations

from email.message import EmailMessage

from documents.parsers.outcome import Refused
from tests.documents.parsers.conftest import Read, Try


def message(subject: str = "Invoice 4821", body: str = "The price is 5 €.\n\nRegards") -> EmailMessage:
    found = EmailMessage()
    found["From"] = "Ada <ada@example.com>"
    found["To"] = "ben@example.com"
    found["Subject"] = subject
    found.set_content(body)
    return found


def test_a_message_is_its_headers_and_its_body(read: Read) -> None:
    found = read("eml", message().as_bytes())

    assert found.title == "Invoice 4821"
    assert [section.text for section in found.sections] == [
        "From: Ada <ada@example.com>\nTo: ben@example.com\nSubject: Invoice 4821",
        "The price is 5 €.",
        "Regards",
    ]


def test_a_message_in_html_is_read_as_html(read: Read) -> None:
    mail = message()
    mail.set_content("<p>Seen</p><p style='display:none'>hidden</p>", subtype="html")

    found = read("eml", mail.as_bytes())

    assert [section.text for section in found.sections][1:] == ["Seen"]
    assert found.report.hidden_characters == 6


def test_attachments_are_named_and_forwarded_messages_are_read(read: Read) -> None:
    mail = message()
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="scan.png")
    mail.add_attachment(message("Older", "Old words."))

    found = read("eml", mail.as_bytes())

    assert [(one.what, one.where) for one in found.report.skipped] == [("attachment", "scan.png")]
    assert ("Older",) in {section.heading_path for section in found.sections if "Old words." in section.text}


def test_a_file_without_headers_is_no_message(attempt: Try) -> None:
    assert attempt("eml", b"\n\nwords") == Refused(
        "documents.mislabelled", "Its name says e-mail, but it has no header lines."
    )
