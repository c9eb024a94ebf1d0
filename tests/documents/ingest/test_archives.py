"""A zip archive through the page and the API: each file for itself, whatever stands beside it (case 4, and bombs)."""

from __future__ import annotations

import io
import struct
import unicodedata
import zipfile
from typing import Any

import pytest
from django.test import Client

from documents import archives
from documents.models import Blob, Document
from documents.states import explain
from documents.worker import work_through
from portal.keys import make_key
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in, upload_of

OWNER = "owner"


def packed(*files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, body in files:
            archive.writestr(name, body)
    return data.getvalue()


def send(shelf: Shelf, body: bytes, *, name: str = "docs.zip", **fields: Any) -> Any:
    collection = shelf.cast.shared(shelf.cast.north)
    form = {"collection": collection.ref, "file": upload_of(name, body), **fields}
    return signed_in(shelf.cast.ada).post("/library/upload/", form, headers={"HX-Request": "true"})


def told(answer: Any) -> list[tuple[str, str]]:
    return [(row.filename, row.kind) for row in answer.context["upload"].results]


def stored() -> list[str]:
    return sorted(Document.objects.using(OWNER).values_list("name", flat=True))


def test_every_file_of_an_archive_is_told_and_one_bad_file_fails_alone(shelf: Shelf) -> None:
    body = packed(
        ("guide/a.md", b"# A\n\nwords"),
        ("guide/b.exe", b"MZ\x90\x00\x03"),
        ("guide/empty.md", b""),
        ("inner.zip", packed(("c.md", b"# C"))),
        ("guide/d.txt", b"plain words"),
        ("__MACOSX/._a.md", b"junk"),
    )

    answer = send(shelf, body)

    assert answer.status_code == 202
    assert told(answer) == [
        ("guide/a.md", "accepted"),
        ("guide/b.exe", "refused"),
        ("guide/empty.md", "refused"),
        ("inner.zip", "refused"),
        ("guide/d.txt", "accepted"),
    ]
    assert "not inside another archive." in answer.context["upload"].results[3].detail
    assert stored() == ["guide/a.md", "guide/d.txt"]
    assert work_through() == 2


def test_the_same_archive_again_changes_nothing_and_a_changed_file_is_a_new_version(shelf: Shelf) -> None:
    send(shelf, packed(("a.md", b"# A\n\nold"), ("b.md", b"# B")))

    answer = send(shelf, packed(("a.md", b"# A\n\nnew"), ("b.md", b"# B")))

    assert told(answer) == [("a.md", "accepted"), ("b.md", "duplicate")]
    assert answer.context["upload"].results[0].detail.startswith("Version 2 of this document.")


@pytest.mark.parametrize("name", ["../../etc/passwd.md", "/etc/passwd.md", "a/../../b.md", "C:\\x.md", "..\\x.md"])
def test_a_name_that_leads_out_is_refused_in_words(shelf: Shelf, name: str) -> None:
    answer = send(shelf, packed((name, b"# Out"), ("in.md", b"# In")))

    assert [kind for _, kind in told(answer)] == ["refused", "accepted"]
    assert answer.context["upload"].results[0].detail == explain("documents.archive_path")
    assert stored() == ["in.md"]


def test_a_link_an_encrypted_file_and_a_second_of_one_name_are_refused_in_words(shelf: Shelf) -> None:
    link = zipfile.ZipInfo("link.md")
    link.external_attr = 0o120777 << 16
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, body in (("a.md", b"# A"), (link, b"/etc/passwd"), ("A.md", b"# Again"), ("locked.md", b"# L")):
            archive.writestr(name, body)
        archive.getinfo("A.md").filename = "a.md"
        archive.getinfo("locked.md").flag_bits |= 1

    answer = send(shelf, data.getvalue())

    assert [row.detail for row in answer.context["upload"].results[1:]] == [
        explain("documents.archive_link"),
        explain("documents.archive_twice"),
        explain("documents.password", "It is encrypted in the archive."),
    ]
    assert stored() == ["a.md"]


def test_a_bomb_is_refused_before_it_is_unpacked(shelf: Shelf) -> None:
    answer = send(shelf, packed(("bomb.txt", b"\0" * 60_000_000)))

    assert (answer.status_code, told(answer)) == (422, [("docs.zip", "refused")])
    assert "Unpacked it would take 60 MB." in answer.context["upload"].results[0].detail
    assert Blob.objects.using(OWNER).count() == 0


def test_a_member_that_lies_about_its_size_is_cut_off(shelf: Shelf) -> None:
    body = bytearray(packed(("big.txt", b"words " * 200_000), ("a.md", b"# A")))
    at = body.index(b"PK\x01\x02")
    body[at + 24 : at + 28] = struct.pack("<L", 10)

    answer = send(shelf, bytes(body))

    assert told(answer) == [("big.txt", "refused"), ("a.md", "accepted")]


@pytest.mark.parametrize("where", ["end record", "long end record"])
def test_a_directory_that_would_fill_the_memory_is_not_read(shelf: Shelf, where: str, monkeypatch: Any) -> None:
    body = packed(*((f"{n}.md", b"#") for n in range(2_100)), method=zipfile.ZIP_STORED)
    monkeypatch.setattr(archives, "LARGEST_DIRECTORY_BYTES", 50_000)
    if where == "long end record":
        end = body.index(b"PK\x05\x06")
        size, offset = struct.unpack_from("<LL", body, end + 12)
        long = struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 2_100, 2_100, size, offset)
        locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
        body = body[:end] + long + locator + body[end : end + 12] + struct.pack("<LL", 46, offset) + b"\0\0"
        assert len(zipfile.ZipFile(io.BytesIO(body)).infolist()) == 2_100

    answer = send(shelf, body)

    assert told(answer) == [("docs.zip", "refused")]
    assert "lists far more" in answer.context["upload"].results[0].detail


def test_more_files_than_a_request_may_bring_are_refused_together(shelf: Shelf, monkeypatch: Any) -> None:
    monkeypatch.setattr(archives, "MOST_FILES", 2)

    answer = send(shelf, packed(*((f"{n}.md", b"# N") for n in range(3))))

    assert told(answer) == [("docs.zip", "refused")]
    assert "It holds 3 parts; the limit is 2." in answer.context["upload"].results[0].detail


@pytest.mark.parametrize("body", [b"PK\x03\x04 cut off", packed(("a.md", b"# A"))[:-30], b"PK\x05\x06" + b"\0" * 18])
def test_a_damaged_or_an_empty_archive_says_so(shelf: Shelf, body: bytes) -> None:
    answer = send(shelf, body)

    assert answer.status_code == 422 and [kind for _, kind in told(answer)] == ["refused"]


def test_names_in_an_old_encoding_are_read(shelf: Shelf) -> None:
    """Written without the mark for UTF-8, as many programs do."""
    body = packed(("XX.md", "# Größe".encode()))
    body = body.replace(b"XX.md", "ü.md".encode())

    assert told(send(shelf, body)) == [("ü.md", "accepted")]


def test_a_name_in_either_spelling_is_one_document(shelf: Shelf) -> None:
    send(shelf, packed((unicodedata.normalize("NFC", "Größe.md"), b"# A")))

    answer = send(shelf, packed((unicodedata.normalize("NFD", "Größe.md"), b"# A")))

    assert [kind for _, kind in told(answer)] == ["duplicate"]


def test_a_site_keeps_its_pages_with_their_addresses_and_leaves_its_looks_out(shelf: Shelf) -> None:
    page = b"<html><head><title>T</title></head><body><nav>Menu</nav><main><h1>T</h1><p>Words of it.</p></main></body></html>"
    body = packed(
        ("site/index.html", page), ("site/guide/a.html", page + b" "), ("site/app.js", b"x=1"), ("site/t.css", b"a{}")
    )

    answer = send(shelf, body, base_url="https://docs.example.org/v2")

    assert told(answer) == [
        ("site/index.html", "accepted"),
        ("site/guide/a.html", "accepted"),
        ("Style sheets, scripts, pictures and indexes of the site", "left-out"),
    ]
    assert answer.context["upload"].results[-1].detail == "2 files without text to read."
    assert set(Document.objects.using(OWNER).values_list("name", "source_url")) == {
        ("site/index.html", "https://docs.example.org/v2/"),
        ("site/guide/a.html", "https://docs.example.org/v2/guide/a.html"),
    }


def test_an_address_that_is_none_is_told_before_anything_is_stored(shelf: Shelf) -> None:
    answer = send(shelf, packed(("a.md", b"# A")), base_url="javascript:alert(1)")

    assert answer.status_code == 422
    assert answer.context["upload"].error == explain("documents.bad_address")
    assert stored() == []


@pytest.mark.parametrize(
    ("head", "given", "address"),
    [
        ('<link rel="canonical" href="https://docs.example.org/a/">', "", "https://docs.example.org/a/"),
        ('<meta property="og:url" content="https://docs.example.org/b/">', "", "https://docs.example.org/b/"),
        (
            '<link rel="canonical" href="https://docs.example.org/a/">',
            "https://x.example.org",
            "https://x.example.org/a.html",
        ),
        ('<link rel="canonical" href="javascript:alert(1)">', "", ""),
        ('<link rel="canonical" href="/relative/">', "", ""),
    ],
)
def test_a_page_has_the_address_that_was_given_else_its_own(shelf: Shelf, head: str, given: str, address: str) -> None:
    page = f"<html><head><title>T</title>{head}</head><body><main><p>Words of it.</p></main></body></html>"

    send(shelf, page.encode(), name="a.html", base_url=given)
    work_through()

    assert Document.objects.using(OWNER).get().source_url == address


def call(shelf: Shelf, body: bytes, *, key: str = "", scope: str = "ingest", **fields: Any) -> Any:
    key = key or make_key(shelf.cast.scope(shelf.cast.ada), "test", scopes=(scope,))[1]
    headers = {"Authorization": f"Bearer {key}", **fields.pop("headers", {})}
    return Client().post("/api/v1/archives/", {"file": upload_of("docs.zip", body), **fields}, headers=headers)


def test_a_program_gets_a_report_with_a_reason_for_each_refusal(shelf: Shelf) -> None:
    answer = call(
        shelf, packed(("a.md", b"# A"), ("b.exe", b"MZ\x90\x00")), collection=shelf.cast.shared(shelf.cast.north).ref
    )

    body = answer.json()
    assert answer.status_code == 202
    assert {name: body[name] for name in ("accepted", "duplicate", "refused", "left_out")} == {
        "accepted": 1, "duplicate": 0, "refused": 1, "left_out": 0,
    }  # fmt: skip
    assert [(file["name"], file["outcome"], file["version"]) for file in body["files"]] == [
        ("a.md", "accepted", 1),
        ("b.exe", "refused", None),
    ]
    assert body["files"][0]["document"] == Document.objects.using(OWNER).get().ref
    assert body["files"][1]["reason"]["code"] == "documents.unsupported"


def test_a_program_that_sends_it_again_is_told_that_nothing_changed(shelf: Shelf) -> None:
    call(shelf, packed(("a.md", b"# A")))

    answer = call(shelf, packed(("a.md", b"# A")))

    assert (answer.status_code, answer.json()["duplicate"], answer.json()["accepted"]) == (200, 1, 0)


def test_what_is_no_archive_and_an_archive_that_cannot_be_opened_are_problems(shelf: Shelf) -> None:
    plain, broken = call(shelf, b"words"), call(shelf, b"PK\x03\x04 cut off")
    wrong = call(shelf, packed(("a.md", b"# A")), base_url="ftp://x")
    reader = call(shelf, packed(("a.md", b"# A")), scope="read")

    assert [answer.json()["code"] for answer in (plain, broken, wrong, reader)] == [
        "documents.mislabelled", "documents.broken", "portal.invalid", "portal.key_scope",
    ]  # fmt: skip
    assert stored() == []


def test_a_repeat_with_its_key_is_answered_as_before_without_names(shelf: Shelf) -> None:
    _, key = make_key(shelf.cast.scope(shelf.cast.ada), "test", scopes=("ingest",))
    body = packed(("secret-name.md", b"# A"), ("b.exe", b"MZ\x90\x00"))

    first, second = (call(shelf, body, key=key, headers={"Idempotency-Key": "one"}) for _ in range(2))

    assert (first.status_code, second.status_code) == (202, 202)
    assert second.headers["Idempotency-Replayed"] == "true"
    assert second.json()["files"][0]["document"] == first.json()["files"][0]["document"]
    assert [file["name"] for file in second.json()["files"]] == ["0", "1"]


def test_an_archive_among_many_files_is_unpacked_too(shelf: Shelf) -> None:
    _, key = make_key(shelf.cast.scope(shelf.cast.ada), "test", scopes=("ingest",))
    files = [upload_of("docs.zip", packed(("a.md", b"# A"), ("b.md", b"# B"))), upload_of("c.md", b"# C")]

    answer = Client().post("/api/v1/documents/batch/", {"file": files}, headers={"Authorization": f"Bearer {key}"})

    assert [(row["item"], row["status"]) for row in answer.json()["results"]] == [
        ("a.md", 202),
        ("b.md", 202),
        ("c.md", 202),
    ]
