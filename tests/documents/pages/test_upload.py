"""Upload: what is taken, what is refused and in which words, and who may (cases 4, 5, 15, 16, 17, 24)."""

from __future__ import annotations

import errno
import unicodedata
from io import BytesIO
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage
from django.test import Client

from documents.incoming import IncomingFile
from documents.models import Blob, Document, IngestJob, Version
from documents.states import explain
from documents.upload import problem_of
from portal.models import Collection
from tests.conftest import Cast
from tests.documents.making import live_version, make_document, signed_in, upload_of

OWNER = "owner"


def send(client: Client, collection: Collection, *files: Any, htmx: bool = True, **fields: Any) -> Any:
    headers = {"HX-Request": "true"} if htmx else {}
    return client.post("/library/upload/", {"collection": collection.ref, "file": files, **fields}, headers=headers)


def results(answer: Any) -> list[tuple[str, str, str]]:
    return [(row.filename, row.kind, row.detail) for row in answer.context["upload"].results]


def names() -> list[str]:
    return list(Document.objects.using(OWNER).order_by("id").values_list("name", flat=True))


def test_many_files_are_taken_at_once_and_queued_in_their_order(cast: Cast) -> None:
    answer = send(signed_in(cast.ben), cast.shared(cast.north), *(upload_of(f"{name}.md") for name in "abc"))

    assert answer.status_code == 202
    assert answer.templates[0].name == "_upload_results.html"
    assert results(answer) == [
        ("a.md", "accepted", "Queued, first in line."),
        ("b.md", "accepted", "Queued, second in line."),
        ("c.md", "accepted", "Queued, third in line."),
    ]
    assert IngestJob.objects.using(OWNER).filter(state="queued").count() == 3


def test_a_plain_form_answers_with_the_library_and_what_became_of_each_file(cast: Cast) -> None:
    answer = send(
        signed_in(cast.ada),
        cast.private(cast.ada),
        upload_of("a.md"),
        upload_of("b.exe", b"MZ\x90\x00\x03"),
        htmx=False,
    )

    assert answer.status_code == 202
    assert answer.context["upload"].results_label == "1 taken, 1 not taken"
    assert [row.title for row in answer.context["library"].rows] == ["a.md"]
    chosen = [choice.name for choice in answer.context["upload"].collections if choice.is_chosen]
    assert chosen == ["My documents"]


@pytest.mark.parametrize(
    "body", [b"", b" \n\t\r\n ", "\ufeff\u200b\u00a0".encode()], ids=["zero", "white", "invisible"]
)
def test_an_empty_file_is_refused(cast: Cast, body: bytes) -> None:
    answer = send(signed_in(cast.ada), cast.shared(cast.north), upload_of("a.md", body))

    assert answer.status_code == 422
    assert results(answer) == [("a.md", "refused", explain("documents.empty"))]
    assert names() == []


def test_no_file_and_an_unreadable_kind_and_a_mislabelled_one_say_so(cast: Cast) -> None:
    client, shared = signed_in(cast.ada), cast.shared(cast.north)

    nothing = send(client, shared, htmx=False)
    unknown = send(client, shared, upload_of("a.exe", b"MZ\x90\x00\x03" + b"\x00" * 80))
    wrong = send(client, shared, upload_of("a.pdf", b"# Not a PDF"))

    assert nothing.status_code == unknown.status_code == wrong.status_code == 422
    assert nothing.context["upload"].error == "No file was chosen. Choose one or more files, then upload."
    assert results(unknown)[0][2].startswith("Footnote cannot read this kind of file. A .exe file is not read.")
    assert results(wrong)[0][2].startswith("The file's content is not what its name says. Its name says PDF")
    assert names() == []


def test_a_file_over_the_limit_is_counted_but_not_kept_while_the_others_are_taken(cast: Cast, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 1_048_576

    answer = send(
        signed_in(cast.ada), cast.shared(cast.north), upload_of("big.md", b"x" * 1_100_000), upload_of("small.md")
    )

    assert answer.status_code == 202
    assert [(name, kind) for name, kind, _ in results(answer)] == [("big.md", "refused"), ("small.md", "accepted")]
    assert "The limit is 1 MB." in results(answer)[0][2]
    assert names() == ["small.md"]


class FullDisk(BytesIO):
    """A file on a disk without room."""

    def write(self, data: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_is_full_while_a_file_arrives_fails_that_file_alone() -> None:
    handler = IncomingFile()
    handler.new_file("file", "a.md", "text/markdown", None)
    handler.file.file = FullDisk()

    handler.receive_data_chunk(b"words", 0)
    arrived = handler.file_complete(5)

    assert arrived is not None
    assert (problem_of(arrived), arrived.size) == ("portal.disk_full", 5)


def test_a_disk_that_is_full_when_a_file_is_stored_says_so_and_leaves_nothing(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Any, *args: Any, **kwargs: Any) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FileSystemStorage, "_save", full)
    answer = send(signed_in(cast.ada), cast.shared(cast.north), upload_of("a.md"))

    assert answer.status_code == 422
    assert results(answer) == [("a.md", "refused", explain("portal.disk_full"))]
    assert names() == []
    assert not Blob.objects.using(OWNER).exists()


def test_one_name_in_two_spellings_is_one_document(cast: Cast) -> None:
    client, shared = signed_in(cast.ada), cast.shared(cast.north)
    name = "Prüfung ａ.md"

    send(client, shared, upload_of(unicodedata.normalize("NFC", name), b"one"))
    answer = send(client, shared, upload_of(unicodedata.normalize("NFD", name), b"two"))

    assert results(answer)[0][1:] == ("accepted", "Version 2 of this document. Queued, first in line.")
    assert names() == [unicodedata.normalize("NFC", name)]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("100% #1?.md", "100% #1?.md"),
        ("🦉 owl.md", "🦉 owl.md"),
        ("../../etc/passwd.md", "etc/passwd.md"),
        ("..\\..\\boot.md", "boot.md"),
        ("evil\u202etxt.md", "eviltxt.md"),
        ("x" * 300 + ".md", None),
    ],
)
def test_any_name_is_taken_and_none_leads_out_of_the_store(
    cast: Cast, sent: str, kept: str | None, tmp_path: Any
) -> None:
    answer = send(signed_in(cast.ada), cast.shared(cast.north), upload_of("a.md"), path=sent)

    assert answer.status_code == 202
    [name] = names()
    assert name == kept or (kept is None and len(name) <= 255 and name.endswith(".md"))
    blob = Blob.objects.using(OWNER).get()
    assert (tmp_path / "blobs" / blob.key).read_bytes() == b"# Title\n\nSome words.\n"
    assert blob.key.count("/") == 1
    assert set(blob.key) <= set("0123456789abcdef/")


def test_equal_names_in_two_folders_are_two_documents(cast: Cast) -> None:
    answer = send(
        signed_in(cast.ada),
        cast.shared(cast.north),
        upload_of("index.md", b"one"),
        upload_of("index.md", b"two"),
        path=["/docs/a/index.md", "/docs/b/index.md"],
    )

    assert [kind for _, kind, _ in results(answer)] == ["accepted", "accepted"]
    assert names() == ["docs/a/index.md", "docs/b/index.md"]


def test_two_people_with_one_name_and_the_same_bytes_have_two_entries_and_one_blob(cast: Cast) -> None:
    send(signed_in(cast.ada), cast.private(cast.ada), upload_of("notes.md", b"the same"))
    answer = send(signed_in(cast.ben), cast.private(cast.ben), upload_of("notes.md", b"the same"))

    assert results(answer) == [("notes.md", "accepted", "Queued, first in line.")]
    assert names() == ["notes.md", "notes.md"]
    assert Blob.objects.using(OWNER).count() == 1


def test_the_same_file_again_is_a_duplicate_and_under_another_name_an_entry_of_its_own(cast: Cast) -> None:
    client, shared = signed_in(cast.ada), cast.shared(cast.north)
    send(client, shared, upload_of("a.md", b"the same"))

    again = send(client, shared, upload_of("a.md", b"the same"))
    renamed = send(client, shared, upload_of("b.md", b"the same"))

    assert again.status_code == 200
    assert results(again) == [("a.md", "duplicate", "The same file is in Shared.")]
    assert renamed.status_code == 202
    assert names() == ["a.md", "b.md"]
    assert (Version.objects.using(OWNER).count(), Blob.objects.using(OWNER).count()) == (2, 1)


def test_the_same_file_again_after_a_failure_is_read_again(cast: Cast) -> None:
    document = make_document(
        cast.shared(cast.north), "a.md", body=b"bytes", state="attention", problem="documents.reader_crashed"
    )

    answer = send(signed_in(cast.ada), cast.shared(cast.north), upload_of("a.md", b"bytes"))

    document.refresh_from_db(using=OWNER)
    assert results(answer)[0][1] == "accepted"
    assert document.state == "queued"


def test_a_changed_file_of_the_same_name_is_a_new_version_of_the_same_document(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md", body=b"one")

    answer = send(signed_in(cast.ada), cast.shared(cast.north), upload_of("a.md", b"two"))

    assert results(answer)[0][2] == "Version 2 of this document. Queued, first in line."
    assert names() == ["a.md"]
    assert list(document.versions.using(OWNER).order_by("number").values_list("number", flat=True)) == [1, 2]
    document.refresh_from_db(using=OWNER)
    assert live_version(document).number == 1


def test_a_reader_may_not_add_and_a_strangers_collection_is_as_if_it_did_not_exist(cast: Cast) -> None:
    shared, hidden = cast.shared(cast.north), cast.private(cast.ada)

    reader = send(signed_in(cast.dot), shared, upload_of("a.md"))
    own = send(signed_in(cast.dot), cast.private(cast.dot), upload_of("a.md"))
    stranger = send(signed_in(cast.cy), shared, upload_of("a.md"))
    colleague = send(signed_in(cast.ben), hidden, upload_of("a.md"))

    assert reader.status_code == 403
    assert "You can read this collection but not change it." in reader.content.decode()
    assert own.status_code == 202
    assert stranger.status_code == colleague.status_code == 404
    assert stranger.content.decode().count("There is nothing here that you can open.") == 2
    assert names() == ["a.md"]


def test_a_signed_out_person_is_sent_to_sign_in(cast: Cast) -> None:
    plain = send(Client(), cast.shared(cast.north), upload_of("a.md"), htmx=False)
    scripted = send(Client(), cast.shared(cast.north), upload_of("a.md"))

    assert plain.status_code == 302
    assert plain.headers["Location"].startswith("/sign-in/")
    assert (scripted.status_code, scripted.headers["HX-Redirect"]) == (204, "/sign-in/?next=/")
    assert names() == []
