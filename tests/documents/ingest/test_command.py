"""`manage.py ingest`: a folder becomes documents as a person, stays in step, and says what was not taken and why."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections
from django.test.utils import CaptureQueriesContext

from documents import blobs
from documents.models import Document, Version
from documents.states import explain
from documents.worker import work_through
from tests.documents.ingest.conftest import Shelf

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder on the disk and the command on it, as ada into Shared."""

    path: Path

    def put(self, name: str, text: str | bytes = "# A\n\nSome words.\n") -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def run(
        self, *, path: Path | None = None, who: str = "ada", into: str = "Shared", **options: Any
    ) -> tuple[str, int]:
        """What it says, and its exit code."""
        out = io.StringIO()
        try:
            call_command(
                "ingest", path or self.path, collection=into, email=f"{who}@example.org", stdout=out, **options
            )
        except SystemExit as end:
            return out.getvalue(), int(str(end.code))
        except CommandError as trouble:
            return str(trouble), trouble.returncode
        return out.getvalue(), 0


@pytest.fixture
def folder(shelf: Shelf, tmp_path: Path) -> Folder:
    path = tmp_path / "docs"
    path.mkdir()
    return Folder(path)


def names() -> list[str]:
    return sorted(Document.objects.using(OWNER).filter(deleted_at__isnull=True).values_list("name", flat=True))


def test_a_folder_becomes_documents_of_the_person_and_is_read(folder: Folder, shelf: Shelf) -> None:
    folder.put("index.md")
    folder.put("guide/start.md", "# Start")

    said, code = folder.run(base_url="https://docs.example.org/v2")

    assert (said, code) == ("Shared: 2 taken, 0 unchanged.\n", 0)
    rows = Document.objects.using(OWNER).order_by("name").values_list("name", "source_url", "created_by__email")
    assert list(rows) == [
        ("guide/start.md", "https://docs.example.org/v2/guide/start.md", "ada@example.org"),
        ("index.md", "https://docs.example.org/v2/index.md", "ada@example.org"),
    ]
    assert work_through() == 2


def test_running_it_again_writes_nothing_at_all(folder: Folder) -> None:
    folder.put("a.md")
    folder.put("broken.pdf", b"%PDF-1.4 nothing of it is there")
    folder.run(base_url="https://docs.example.org")
    work_through()

    with CaptureQueriesContext(connections["default"]) as queries:
        said, code = folder.run(base_url="https://docs.example.org")

    writes = [
        query["sql"] for query in queries if query["sql"].lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE"))
    ]
    assert (said, code, writes) == ("Shared: 0 taken, 2 unchanged.\n", 0, [])
    assert Version.objects.using(OWNER).count() == 2 and work_through() == 0


def test_only_what_changed_is_written(folder: Folder) -> None:
    for name in ("a.md", "b.md", "c.md"):
        folder.put(name, f"# {name}")
    folder.run()
    work_through()
    folder.put("b.md", "# b.md, changed")

    said, code = folder.run()

    assert (said, code) == ("Shared: 1 taken (1 as new versions), 2 unchanged.\n", 0)
    assert sorted(Version.objects.using(OWNER).values_list("document__name", "number")) == [
        ("a.md", 1), ("b.md", 1), ("b.md", 2), ("c.md", 1),
    ]  # fmt: skip


def test_another_address_is_written_without_reading_again(folder: Folder) -> None:
    folder.put("a.md")
    folder.run()
    work_through()

    said, _ = folder.run(base_url="https://docs.example.org")

    assert said == "Shared: 0 taken, 0 unchanged, 1 given another address.\n"
    assert Document.objects.using(OWNER).get().source_url == "https://docs.example.org/a.md" and work_through() == 0


def test_refused_files_are_listed_with_their_reasons_and_stop_nothing(folder: Folder) -> None:
    folder.put("good.md")
    folder.put("empty.md", "")
    folder.put("tool.exe", b"MZ\x90\x00")
    (folder.path / "link.md").symlink_to("/etc/passwd")

    said, code = folder.run()

    assert code == 1 and said.startswith("Shared: 1 taken, 0 unchanged, 3 not taken.\n")
    assert "  not taken  empty.md: The file is empty.\n" in said
    assert "  not taken  link.md: It is a link to another file, and no file.\n" in said
    assert "  not taken  tool.exe: Footnote cannot read this kind of file. A .exe file is not read." in said
    assert names() == ["good.md"]


def test_what_is_gone_is_deleted_only_when_asked_and_only_under_the_prefix(folder: Folder, shelf: Shelf) -> None:
    shelf.put("by-hand.md", "# By hand")
    folder.put("a.md")
    folder.put("b.md", "# B")
    folder.run(prefix="docs")
    (folder.path / "b.md").unlink()

    kept, _ = folder.run(prefix="docs")
    said, code = folder.run(prefix="docs", delete_missing=True)

    assert kept == "Shared: 0 taken, 1 unchanged.\n"
    assert (said, code) == ("Shared: 0 taken, 1 unchanged, 1 deleted.\n  deleted    docs/b.md\n", 0)
    assert names() == ["by-hand.md", "docs/a.md"]


def test_a_file_that_is_refused_now_keeps_its_document(folder: Folder) -> None:
    folder.put("a.md")
    folder.put("b.md", "# B")
    folder.run()
    folder.put("b.md", "")

    said, code = folder.run(delete_missing=True)

    assert code == 1 and "1 not taken" in said and names() == ["a.md", "b.md"]


def test_an_empty_folder_deletes_nothing(folder: Folder) -> None:
    folder.put("a.md")
    folder.run()
    (folder.path / "a.md").unlink()

    said, code = folder.run(delete_missing=True)

    assert (said, code) == (explain("documents.sync_empty"), 2) and names() == ["a.md"]


def test_a_manifest_says_what_belongs_and_what_went(folder: Folder, tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        folder.put(name, f"# {name}")
    folder.run()
    (folder.path / "c.md").unlink()
    folder.put("b.md", "# b.md, changed")
    folder.put("wrong.md", "# Not what the manifest says")
    folder.put("draft.md", "# Not listed")
    manifest = tmp_path / "manifest.json"
    digests = {name: hashlib.sha256((folder.path / name).read_bytes()).hexdigest() for name in ("a.md", "b.md")}
    manifest.write_text(json.dumps({"files": {**digests, "wrong.md": "0" * 64, "absent.md": "1" * 64}}))

    said, code = folder.run(manifest=manifest)

    assert code == 1 and said.startswith("Shared: 1 taken (1 as new versions), 1 unchanged, 1 deleted, 2 not taken.\n")
    assert "  not taken  wrong.md: The file's content is not what the manifest says.\n" in said
    assert (
        "  not taken  absent.md: The manifest lists this file, and it is neither in the folder nor here already.\n"
        in said
    )
    assert names() == ["a.md", "b.md"]


def test_a_manifest_lets_a_build_send_only_what_changed(folder: Folder, tmp_path: Path) -> None:
    folder.put("a.md", "# A")
    folder.put("b.md", "# B")
    folder.run()
    manifest = tmp_path / "sums"
    manifest.write_text(
        "".join(f"{hashlib.sha256(text).hexdigest()}  {name}\n" for name, text in (("a.md", b"# A"), ("b.md", b"# B2")))
    )
    (folder.path / "a.md").unlink()
    folder.put("b.md", "# B2")

    said, code = folder.run(manifest=manifest)

    assert (said, code) == ("Shared: 1 taken (1 as new versions), 1 unchanged.\n", 0)
    assert names() == ["a.md", "b.md"]


def test_a_rehearsal_says_what_it_would_do_and_does_nothing(folder: Folder) -> None:
    folder.put("a.md")
    folder.put("b.md", "# B")
    folder.run()
    folder.put("a.md", "# Changed")
    folder.put("new.md", "# New")
    (folder.path / "b.md").unlink()

    said, code = folder.run(dry_run=True, delete_missing=True)

    assert said == "Would be, in Shared: 2 taken (1 as new versions), 0 unchanged, 1 deleted.\n  deleted    b.md\n"
    assert code == 0 and names() == ["a.md", "b.md"] and Version.objects.using(OWNER).count() == 2


def test_a_site_in_an_archive_is_taken_as_a_folder_is(folder: Folder, tmp_path: Path) -> None:
    page = "<html><head><title>T</title></head><body><nav>Menu</nav><main><h1>T</h1><p>Words of it.</p></main></body></html>"
    site = tmp_path / "site.zip"
    with zipfile.ZipFile(site, "w") as archive:
        for name in ("index.html", "guide/a.html", "app.js", "theme.css"):
            archive.writestr(name, page + name)
        archive.writestr("../out.md", "# Out")

    said, code = folder.run(path=site, base_url="https://docs.example.org/")
    again, _ = folder.run(path=site, base_url="https://docs.example.org/")

    assert code == 1 and said.startswith("Shared: 2 taken, 0 unchanged, 2 of a site's looks left out, 1 not taken.\n")
    assert again.startswith("Shared: 0 taken, 2 unchanged,")
    assert set(Document.objects.using(OWNER).values_list("name", "source_url")) == {
        ("index.html", "https://docs.example.org/"),
        ("guide/a.html", "https://docs.example.org/guide/a.html"),
    }


def test_a_single_file_is_taken_by_its_name(folder: Folder) -> None:
    folder.put("a.md")

    assert folder.run(path=folder.path / "a.md") == ("Shared: 1 taken, 0 unchanged.\n", 0)
    assert names() == ["a.md"]


def test_hidden_files_and_what_systems_leave_are_nobodys(folder: Folder) -> None:
    for name in (".git/config", ".hidden.md", "__MACOSX/a.md", "a/.DS_Store", "real.md"):
        folder.put(name)

    folder.run()

    assert names() == ["real.md"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"who": "nobody"}, "No active account has the e-mail nobody@example.org."),
        ({"into": "Secret plans"}, "Name one collection by its ref or its name. This person may add to:"),
        ({"who": "dot"}, explain("portal.read_only")),
        ({"who": "cy", "workspace": "North"}, "Name one workspace with --workspace."),
        ({"base_url": "javascript:alert(1)"}, explain("documents.bad_address")),
        ({"path": Path("/nowhere/at/all")}, "There is nothing at /nowhere/at/all."),
        ({"manifest": Path("/nowhere/sums")}, "The manifest cannot be used:"),
    ],
)
def test_what_cannot_be_done_at_all_is_said_and_exits_with_two(
    folder: Folder, options: dict[str, Any], says: str
) -> None:
    folder.put("a.md")

    said, code = folder.run(**options)

    assert said.startswith(says) and code == 2 and names() == []


def test_a_person_fills_only_what_that_person_sees(folder: Folder, shelf: Shelf) -> None:
    """ben's private collection has the same name as ada's; each is only one's own."""
    folder.put("a.md")

    folder.run(who="ben", into="My documents")

    assert Document.objects.using(OWNER).get().collection == shelf.cast.private(shelf.cast.ben)


def test_a_file_above_the_limit_is_told(folder: Folder, settings: Any) -> None:
    folder.put("a.md")
    folder.run()
    folder.put("big.md", "# Big\n\n" + "word " * 300_000)
    settings.MAX_UPLOAD_BYTES = 1_048_576

    said, code = folder.run()

    assert code == 1 and "not taken  big.md: The file is larger than this Footnote accepts. The limit is 1 MB." in said


def test_waiting_says_what_was_read_and_what_needs_attention(folder: Folder) -> None:
    folder.put("a.md")
    folder.put("broken.pdf", b"%PDF-1.4 nothing of it is there")
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            work_through()
        connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        said, code = folder.run(wait=True)
    finally:
        stop.set()
        worker.join()

    assert code == 0 and "Shared: 2 taken, 0 unchanged.\nRead: 1 document.\n  attention  broken.pdf: " in said


def test_every_blob_that_is_kept_has_its_row(folder: Folder) -> None:
    folder.put("a.md")
    folder.put("b.md")

    folder.run()

    assert len([key for keys in blobs.left_behind(older_than_s=-1) for key in keys]) == 1


def test_a_database_that_is_down_is_said_and_what_was_taken_is_kept(folder: Folder) -> None:
    folder.put("a.md")
    folder.run()
    at = connections["default"].settings_dict
    port = at["PORT"]
    connections["default"].close()
    at["PORT"] = "1"
    try:
        said, code = folder.run()
    finally:
        connections["default"].close()
        at["PORT"] = port

    assert (said, code) == (explain("portal.database_down"), 2) and names() == ["a.md"]
