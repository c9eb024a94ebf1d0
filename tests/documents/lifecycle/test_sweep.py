"""Rows and files that lost each other."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

from django.core.files.storage import Storage
from django.core.management import call_command

from documents import blobs
from documents.models import Blob, Version
from documents.sweep import Swept, sweep
from tests.documents.ingest.test_ingest import GUIDE
from tests.documents.lifecycle.conftest import Shelf

OWNER = "owner"


class Distant(Storage):
    """Its files have no path on this machine, and it has none of them."""

    def exists(self, name: str) -> bool:
        return False


def sweep_now() -> Swept:
    """Without the hour that what is young has."""
    return sweep(older_than_s=0.0, unused_s=0.0)


def path_of(key: str) -> str:
    return str(blobs.storage().path(key))


def test_nothing_is_swept_where_rows_and_files_agree(shelf: Shelf) -> None:
    shelf.put_and_read("pump.md", GUIDE)

    assert sweep_now() == Swept()


def test_a_file_that_no_row_names_goes_and_others_stay(shelf: Shelf) -> None:
    shelf.put_and_read("pump.md", GUIDE)
    stray = blobs.store(io.BytesIO(b"left behind"))

    assert sweep() == Swept()
    assert sweep_now() == Swept(files=1)
    assert not blobs.storage().exists(stray)
    assert blobs.storage().exists(Blob.objects.using(OWNER).get().key)


def test_a_row_that_no_version_uses_goes_with_its_file(shelf: Shelf) -> None:
    document = shelf.put_and_read("pump.md", GUIDE)
    key = Blob.objects.using(OWNER).get().key
    Version.objects.using(OWNER).filter(document=document).update(blob=None)

    assert sweep() == Swept()
    assert sweep_now() == Swept(rows=1)
    assert not Blob.objects.using(OWNER).exists()
    assert not blobs.storage().exists(key)


def test_a_row_whose_file_is_gone_is_noted_until_it_is_back(shelf: Shelf) -> None:
    document = shelf.put_and_read("pump.md", GUIDE)
    blob = Blob.objects.using(OWNER).get()
    place = Path(path_of(blob.key))
    away = place.rename(place.with_suffix(".away"))

    first, second = sweep(), sweep()
    said = io.StringIO()
    call_command("sweep", stdout=said)
    away.rename(place)
    third = sweep()

    assert (first, second, third) == (Swept(gone=1), Swept(), Swept(back=1))
    assert f"document {document.ref}, version 1" in said.getvalue()
    assert "Versions whose file is gone from the storage: 1." in said.getvalue()
    assert Blob.objects.using(OWNER).get().missing_at is None
    assert shelf.document(document.ref).state == "ready"


def test_thousands_of_rows_are_looked_through_in_pages(shelf: Shelf) -> None:
    shelf.put_and_read("pump.md", GUIDE)
    workspace = shelf.cast.north.pk
    rows = [
        Blob(workspace_id=workspace, sha256=n.to_bytes(32, "big"), key=f"{n:02x}/{n}", size_bytes=1)
        for n in range(1, 1201)
    ]
    Blob.objects.using(OWNER).bulk_create(rows)

    started = time.monotonic()
    assert sweep(unused_s=0.0) == Swept(rows=1200, gone=1200)
    assert time.monotonic() - started < 10
    assert Blob.objects.using(OWNER).count() == 1


def test_a_distant_storage_is_asked_after_every_file_only_when_told_to(shelf: Shelf, settings: Any) -> None:
    shelf.put_and_read("pump.md", GUIDE)
    settings.STORAGES = {**settings.STORAGES, "blobs": {"BACKEND": f"{__name__}.Distant"}}

    assert not blobs.is_local()
    assert sweep() == Swept()
    assert sweep(asks_storage=True) == Swept(gone=1)
