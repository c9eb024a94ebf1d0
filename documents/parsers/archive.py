"""Look into a zip-based file before anything unpacks it: sizes, counts and names from its directory."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from documents.parsers.outcome import Limits, Refused


def checked(path: Path, limits: Limits) -> frozenset[str] | Refused:
    """Return the names in a zip file, or why it is not opened: broken, encrypted, or larger inside than the limits."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        return Refused("documents.broken", "Its zip directory cannot be read.")
    if any(member.flag_bits & 1 for member in members):
        return Refused("documents.password")
    return measured(members, limits) or frozenset(member.filename for member in members)


def measured(members: Sequence[zipfile.ZipInfo], limits: Limits) -> Refused | None:
    """Why members are not unpacked: too many, or more inside than the limits allow; None when they may be."""
    if len(members) > limits.archive_members:
        return Refused(
            "documents.too_large", f"It holds {len(members):,} parts; the limit is {limits.archive_members:,}."
        )
    total = sum(member.file_size for member in members)
    packed = max(1, sum(member.compress_size for member in members))
    if total > limits.archive_bytes or (total > 10_000_000 and total / packed > limits.archive_ratio):
        return Refused("documents.too_large", f"Unpacked it would take {total // 1_000_000:,} MB.")
    return None
