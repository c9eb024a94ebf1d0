from __future__ import annotations

import zipfile
from pathlib import Path

from documents.parsers.archive import checked
from documents.parsers.outcome import Limits, Refused


def zipped(path: Path, parts: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def test_the_names_of_an_ordinary_archive_are_given(tmp_path: Path) -> None:
    assert checked(zipped(tmp_path / "a.zip", {"a": b"1", "b": b"2"}), Limits()) == frozenset(("a", "b"))


def test_a_bomb_is_refused_before_anything_is_unpacked(tmp_path: Path) -> None:
    found = checked(zipped(tmp_path / "a.zip", {"a": bytes(50_000_000)}), Limits())

    assert found == Refused("documents.too_large", "Unpacked it would take 50 MB.")


def test_too_many_parts_are_refused(tmp_path: Path) -> None:
    found = checked(zipped(tmp_path / "a.zip", {str(i): b"" for i in range(20)}), Limits(archive_members=10))

    assert found == Refused("documents.too_large", "It holds 20 parts; the limit is 10.")


def test_what_is_no_archive_is_broken(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and no more")

    found = checked(tmp_path / "a.zip", Limits())

    assert isinstance(found, Refused)
    assert found.code == "documents.broken"
