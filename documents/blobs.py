"""The uploaded bytes, under keys that say nothing about them."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from django.core.files.base import File
from django.core.files.storage import Storage, storages

from portal.problems import SystemProblem

PIECE = 1 << 20
LEFT_BEHIND_S = 3600.0
"""No upload or removal lasts so long: a stored file that no row names by then was left behind by a killed process."""


def storage() -> Storage:
    return storages["blobs"]


def sha256_of(file: BinaryIO) -> bytes:
    """SHA-256 of everything in the file, which is left at its start."""
    digest = hashlib.sha256()
    file.seek(0)
    while piece := file.read(PIECE):
        digest.update(piece)
    file.seek(0)
    return digest.digest()


def store(file: BinaryIO) -> str:
    """The key of a new blob with these bytes, safe on the disk. Raises SystemProblem portal.disk_full when there is no room."""
    name = secrets.token_hex(20)
    name = f"{name[:2]}/{name}"
    try:
        key = storage().save(name, File(file))
        _sync(key)
    except OSError as error:
        with contextlib.suppress(OSError):
            storage().delete(name)  # what was written before the disk was full
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise SystemProblem("portal.disk_full") from error
        raise
    return key


def _sync(key: str) -> None:
    """A row is never there before its bytes are, whenever the power fails. Other storages promise it by themselves."""
    try:
        path = Path(storage().path(key))
    except NotImplementedError:
        return
    for place in (path, path.parent):
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove(key: str) -> None:
    storage().delete(key)


def is_local() -> bool:
    """Whether the files are kept on this machine."""
    try:
        storage().path("")
    except NotImplementedError:
        return False
    return True


def left_behind(*, older_than_s: float = LEFT_BEHIND_S) -> Iterator[list[str]]:
    """Keys of what was stored longer ago, by folder. Nothing for a storage that does not keep files on this machine."""
    try:
        root = Path(storage().path(""))
    except NotImplementedError:
        return
    before = time.time() - older_than_s
    for folder in sorted(root.glob("[0-9a-f][0-9a-f]")):
        yield [f"{folder.name}/{file.name}" for file in folder.iterdir() if file.stat().st_mtime < before]


@contextlib.contextmanager
def as_path(key: str) -> Iterator[Path]:
    """The blob as a local file. Raises FileNotFoundError when the storage has lost it."""
    keep = storage()
    try:
        path = Path(keep.path(key))
    except NotImplementedError:
        with tempfile.NamedTemporaryFile(prefix="footnote-") as copy, keep.open(key) as source:
            for piece in source.chunks(PIECE):
                copy.write(piece)
            copy.flush()
            yield Path(copy.name)
        return
    if not path.is_file():
        raise FileNotFoundError(key)
    yield path
