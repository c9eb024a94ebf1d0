"""Rows and files are kept equal, both ways: files that no row names, rows that no version uses, rows whose file is gone.

A worker sweeps by its own clock (documents/worker.py), an operator with `manage.py sweep`.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connections

from documents import blobs, queue
from portal import forgetting
from portal.events import Log

log = Log("documents.sweep")
PAGE = 500
UNUSED_S = 3600.0
"""An upload's row and its version are made in one transaction; an hour leaves no doubt."""


@dataclass(frozen=True, slots=True)
class Swept:
    """Files removed that no row named; rows (and files) removed that no version used; rows whose file is gone, and back again;
    rows that other parts keep no longer.
    """

    files: int = 0
    rows: int = 0
    gone: int = 0
    back: int = 0
    others: int = 0

    @property
    def is_clean(self) -> bool:
        return self == Swept()


def sweep(
    *, older_than_s: float = blobs.LEFT_BEHIND_S, unused_s: float = UNUSED_S, asks_storage: bool | None = None
) -> Swept:
    """Through the worker's role. A row whose file is gone is only noted: the storage may be away for a while.

    To ask after every file costs a distant storage a request each, so only what lies on this machine is asked after unless
    `asks_storage` says so.
    """
    asks = blobs.is_local() if asks_storage is None else asks_storage
    gone, back = missing_files() if asks else (0, 0)
    swept = Swept(unnamed_files(older_than_s), unused_rows(unused_s), gone, back, forgetting.sweep())
    if not swept.is_clean:
        log.warning(
            "sweep.found", files=swept.files, rows=swept.rows, gone=swept.gone, back=swept.back, others=swept.others
        )
    return swept


def unnamed_files(older_than_s: float) -> int:
    """Remove stored bytes that no row names, which a killed upload or removal left behind; returns how many files."""
    removed = 0
    for keys in blobs.left_behind(older_than_s=older_than_s):
        with connections[queue.ALIAS].cursor() as cursor:
            cursor.execute("SELECT footnote.unknown_blobs(%s::text[])", [keys])
            (unknown,) = cursor.fetchone()
        for key in unknown:
            blobs.remove(key)
        removed += len(unknown)
    return removed


def unused_rows(older_than_s: float) -> int:
    """Remove rows that no version points at, then their files; returns how many rows."""
    removed = 0
    while True:
        with connections[queue.ALIAS].cursor() as cursor:
            cursor.execute("SELECT footnote.drop_unused_blobs(%s, %s)", [older_than_s, PAGE])
            (keys,) = cursor.fetchone()
        for key in keys:
            blobs.remove(key)
        removed += len(keys)
        if len(keys) < PAGE:
            return removed


def missing_files() -> tuple[int, int]:
    """Note which rows' files are gone, and which are back; returns how many of each changed."""
    last, gone, back = 0, 0, 0
    while True:
        with connections[queue.ALIAS].cursor() as cursor:
            cursor.execute("SELECT blob_id, blob_key, is_missing FROM footnote.stored_blobs(%s, %s)", [last, PAGE])
            rows = cursor.fetchall()
        if not rows:
            return gone, back
        last = rows[-1][0]
        there = {key: blobs.storage().exists(key) for _, key, _ in rows}
        lost = [pk for pk, key, was_missing in rows if not there[key] and not was_missing]
        found = [pk for pk, key, was_missing in rows if there[key] and was_missing]
        if lost or found:
            with connections[queue.ALIAS].cursor() as cursor:
                cursor.execute("SELECT footnote.note_missing_blobs(%s::bigint[], %s::bigint[])", [lost, found])
        gone, back = gone + len(lost), back + len(found)
