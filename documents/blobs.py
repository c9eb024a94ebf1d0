"""The uploaded bytes, under keys that say nothing about them."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from django.core.files.base import File
from django.core.files.storage import Storage, storages

from portal.problems import SystemProblem

PIECE = 1 << 20


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
    """The key of a new blob with these bytes. Raises SystemProblem portal.disk_full when there is no room."""
    key = secrets.token_hex(20)
    try:
        return storage().save(f"{key[:2]}/{key}", File(file))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise SystemProblem("portal.disk_full") from error
        raise


def remove(key: str) -> None:
    storage().delete(key)


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
