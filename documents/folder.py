"""The files of a folder, or of a zip archive, as they are to be documents: their paths in it, and what is not taken."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from documents.archives import BROKEN, directory_trouble, is_archive, members_of, unpack
from documents.parsers.archive import measured
from documents.parsers.outcome import Limits
from documents.parsers.site import is_junk, looks_of_a_site
from documents.upload import Rejected, document_name

LARGEST_ARCHIVE = Limits(archive_bytes=4 * 1024**3, archive_members=100_000)


@dataclass(frozen=True, slots=True)
class Found:
    """A file: its path in the folder with `/`, as a document is named, and where its bytes are."""

    path: str
    file: Path


@dataclass(frozen=True, slots=True)
class Folder:
    """`left_out` counts what only makes a site look and move."""

    files: tuple[Found, ...]
    refused: tuple[Rejected, ...] = ()
    left_out: int = 0


def read_folder(path: Path, room: Path) -> Folder:
    """What is in a folder, a zip archive or a single file, in the order of the paths. `room` is an empty folder to unpack into.

    Hidden files and what systems leave behind are nobody's; links are told and not followed. Raises FileNotFoundError.
    """
    if path.is_dir():
        return _sorted(list(_walk(path)))
    with path.open("rb") as file:
        if is_archive(path.name, cast("BinaryIO", file)):
            return _unpacked(path, cast("BinaryIO", file), room)
    return Folder((Found(document_name(path.name), path),))


def _walk(root: Path) -> Iterator[Found | Rejected]:
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        at = Path(folder)
        for name in names:
            file = at / name
            path = file.relative_to(root).as_posix()
            if name.startswith(".") or is_junk(path):
                continue
            name_here = document_name(os.fsencode(path).decode("utf-8", "replace"))
            yield Rejected(name_here, "documents.archive_link") if not _is_plain(file) else Found(name_here, file)
        for name in list(inner):
            if (at / name).is_symlink():
                inner.remove(name)
                yield Rejected(document_name((at / name).relative_to(root).as_posix()), "documents.archive_link")


def _is_plain(file: Path) -> bool:
    return not file.is_symlink() and file.is_file()


def _unpacked(path: Path, file: BinaryIO, room: Path) -> Folder:
    """Files of an archive, unpacked under names of ours."""
    if trouble := directory_trouble(file, largest=LARGEST_ARCHIVE.archive_members * 400):
        return Folder((), (Rejected(path.name, trouble.code, trouble.detail),))
    try:
        with zipfile.ZipFile(file) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if trouble := measured(infos, LARGEST_ARCHIVE):
                return Folder((), (Rejected(path.name, trouble.code, trouble.detail),))
            return _sorted(list(_unpacked_members(archive, infos, room)))
    except BROKEN:
        return Folder((), (Rejected(path.name, "documents.broken", "Its zip directory cannot be read."),))


def _unpacked_members(archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo], room: Path) -> Iterator[Found | Rejected]:
    for number, member in enumerate(members_of(infos)):
        if member.problem:
            yield Rejected(member.path, member.problem, member.detail)
            continue
        file = room / f"{number}"
        try:
            with file.open("wb") as target:
                unpack(archive, member.info, cast("BinaryIO", target))
        except BROKEN:
            yield Rejected(member.path, "documents.broken", "It cannot be unpacked.")
        else:
            yield Found(member.path, file)


def _sorted(found: list[Found | Rejected]) -> Folder:
    files = [one for one in found if isinstance(one, Found)]
    looks = looks_of_a_site([one.path for one in files])
    kept = sorted((one for one in files if one.path not in looks), key=lambda one: one.path)
    return Folder(tuple(kept), tuple(one for one in found if isinstance(one, Rejected)), len(looks))


def snapshot(path: Path) -> dict[str, tuple[int, int]]:
    """When each file under a path was changed (ns) and its size: enough to see that something happened."""
    files = [path] if path.is_file() else [Path(at) / name for at, _, names in os.walk(path) for name in names]
    seen = {}
    for file in files:
        try:
            stat = file.lstat()
        except OSError:  # gone a moment ago
            continue
        seen[str(file)] = (stat.st_mtime_ns, stat.st_size)
    return seen
