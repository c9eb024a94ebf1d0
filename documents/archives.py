"""A zip archive that is uploaded: its files one by one, each as if it had been sent alone, and what became of each.

Nothing is unpacked to a path. The directory is looked at before anything is decompressed, and no member gives more than it says.
"""

from __future__ import annotations

import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

from django.conf import settings

from documents.parsers.archive import measured
from documents.parsers.kinds import ending_of
from documents.parsers.outcome import Limits, Refused
from documents.parsers.site import common_folder, is_junk, looks_of_a_site
from documents.text.addresses import under
from documents.text.normalise import decode
from documents.upload import LeftOut, Rejected, Result, accept, document_name
from portal.problems import SystemProblem
from portal.scope import Scope

MOST_FILES = 2_000
"""More take longer than a request may; `manage.py ingest` has no such limit."""
LARGEST_DIRECTORY_BYTES = 4_000_000
_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_PIECE = 1 << 20
_UTF8 = 0x800
_IN_LONG = 0xFFFFFFFF
_END, _END64 = b"PK\x05\x06", b"PK\x06\x06"
BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive; `problem` says why it is not read, in a code of portal.problems."""

    info: zipfile.ZipInfo
    path: str
    problem: str = ""
    detail: str = ""


def is_archive(name: str, file: BinaryIO) -> bool:
    """Say whether this is a zip archive by its name and its first bytes; the file is left at its start."""
    file.seek(0)
    magic = file.read(4)
    file.seek(0)
    return ending_of(name) == "zip" and magic in _MAGIC


def accept_archive(
    scope: Scope, collection_id: int, *, name: str, file: BinaryIO, base_url: str = ""
) -> tuple[Result, ...]:
    """What became of each file in the archive, in its order; one Rejected for an archive that is not opened at all.

    A file keeps its path in the archive as its name, under the folder that `name` stands in. `base_url` is where the archive
    is published: its only folder at the top, when it has just one, else its root. One file that cannot be taken raises
    nothing: it is a Rejected among others.
    """
    name = document_name(name)
    if collection_id not in scope.writable_ids:
        return (Rejected(name, "portal.read_only"),)
    if trouble := directory_trouble(file):
        return (Rejected(name, trouble.code, trouble.detail),)
    folder = name.rpartition("/")[0]
    try:
        with zipfile.ZipFile(file) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if trouble := measured(infos, Limits(archive_members=MOST_FILES)):
                return (Rejected(name, trouble.code, trouble.detail),)
            return tuple(_outcomes(scope, collection_id, archive, list(members_of(infos)), folder, base_url))
    except BROKEN:
        return (Rejected(name, "documents.broken", "Its zip directory cannot be read."),)


def directory_trouble(file: BinaryIO, *, largest: int | None = None) -> Refused | None:
    """Refuse a directory that would itself fill the memory, before anything reads it."""
    size = _directory_bytes(file)
    if size < 0:
        return Refused("documents.broken", "It has no zip directory.")
    if size > (largest or LARGEST_DIRECTORY_BYTES):
        return Refused("documents.too_large", "Its directory lists far more files than are taken at once.")
    return None


def _directory_bytes(file: BinaryIO) -> int:
    """How long the directory says it is (APPNOTE 4.3.14 and 4.3.16); -1 when there is none."""
    length = file.seek(0, 2)
    file.seek(max(0, length - 65_557 - 76))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 22:
        return -1
    size = int(struct.unpack_from("<L", tail, at + 12)[0])
    long_at = tail.rfind(_END64, 0, at)  # zipfile believes it wherever it stands, so the larger one counts
    long_size = int(struct.unpack_from("<Q", tail, long_at + 40)[0]) if 0 <= long_at <= len(tail) - 56 else -1
    return long_size if size == _IN_LONG else max(size, long_size)


def members_of(infos: list[zipfile.ZipInfo]) -> Iterator[Member]:
    """The files of an archive, with what speaks against each; what a system left in it is not among them."""
    seen: set[str] = set()
    for info in infos:
        path = _path_of(info)
        name = document_name(path)
        if is_junk(path):
            continue
        if _leads_out(path):
            yield Member(info, name, "documents.archive_path")
        elif (info.external_attr >> 16) & 0o170000 == 0o120000:
            yield Member(info, name, "documents.archive_link")
        elif info.flag_bits & 1:
            yield Member(info, name, "documents.password", "It is encrypted in the archive.")
        elif info.file_size > settings.MAX_UPLOAD_BYTES:
            yield Member(
                info, name, "documents.too_large", f"The limit is {settings.MAX_UPLOAD_BYTES // 1_048_576} MB."
            )
        elif name in seen:
            yield Member(info, name, "documents.archive_twice")
        else:
            seen.add(name)
            yield Member(info, name)


def _path_of(info: zipfile.ZipInfo) -> str:
    """The member's path. Archives of before 2006, and of some programs still, do not say how it is encoded."""
    if info.flag_bits & _UTF8 or info.orig_filename.isascii():
        return info.orig_filename
    try:
        raw = info.orig_filename.encode("cp437")
    except UnicodeEncodeError:
        return info.orig_filename
    return decode(raw).text


def _leads_out(path: str) -> bool:
    parts = path.replace("\\", "/").split("/")
    return path[:1] in ("/", "\\") or path[1:2] == ":" or ".." in parts or "\x00" in path


def _outcomes(
    scope: Scope, collection_id: int, archive: zipfile.ZipFile, members: list[Member], folder: str, base_url: str
) -> Iterator[Result]:
    looks = looks_of_a_site([member.path for member in members if not member.problem])
    root = common_folder([member.path for member in members])
    for member in members:
        name = f"{folder}/{member.path}" if folder else member.path
        if member.problem:
            yield Rejected(name, member.problem, member.detail)
        elif member.path not in looks:
            yield _accept_member(scope, collection_id, archive, member, name, under(base_url, member.path[len(root) :]))
    if looks:
        yield LeftOut("Style sheets, scripts, pictures and indexes of the site", len(looks))
    if not members:
        yield Rejected(folder or "archive", "documents.archive_empty")


def _accept_member(
    scope: Scope, collection_id: int, archive: zipfile.ZipFile, member: Member, name: str, source_url: str
) -> Result:
    with tempfile.TemporaryFile() as file:
        try:
            size = unpack(archive, member.info, cast("BinaryIO", file))
        except BROKEN:
            return Rejected(name, "documents.broken", "It cannot be unpacked.")
        try:
            return accept(
                scope, collection_id, name=name, file=cast("BinaryIO", file), size_bytes=size, source_url=source_url
            )
        except SystemProblem as trouble:
            return Rejected(name, trouble.code, trouble.detail)


def unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: BinaryIO) -> int:
    """Unpack one member; returns its size. Raises zipfile.BadZipFile for one that gives more than the directory says."""
    size = 0
    with archive.open(info) as source:
        while piece := source.read(_PIECE):
            size += len(piece)
            if size > min(info.file_size, settings.MAX_UPLOAD_BYTES):
                raise zipfile.BadZipFile("longer than its directory says")
            target.write(piece)
    return size
