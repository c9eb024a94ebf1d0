"""A backup brought back is the installation it was made of: rows, files, policies; without what would open it."""

from __future__ import annotations

import io
import re
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as current
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connections
from psycopg import conninfo

from portal import backup, env
from portal.database import Admin, ensure_database
from portal.models import Membership, Workspace
from tests.conftest import Cast
from tests.isolation.planted import plant

OTHER = "test_restored"
TABLES = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
CASTS = re.compile(r"::(?:character varying|text)(?:\[\])?|[()]")
WALLS = {
    "policies": "SELECT tablename, policyname, roles::text, cmd, qual, with_check FROM pg_policies ORDER BY 1, 2",
    "tables": """
        SELECT relname, relrowsecurity, relforcerowsecurity, relacl::text, pg_get_userbyid(relowner) FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1""",
    "functions": """
        SELECT oid::regprocedure::text, proacl::text, pg_get_userbyid(proowner), proconfig::text FROM pg_proc
        WHERE pronamespace = 'footnote'::regnamespace ORDER BY 1""",
    "ties": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2""",
}


@pytest.fixture
def elsewhere(test_database: Admin, settings: Any, tmp_path: Path) -> Iterator[Path]:
    """Where the restored files go; the restored database is dropped before, where a killed run left it, and afterwards."""
    _drop_other(test_database)
    yield tmp_path / "restored"
    _drop_other(test_database)


def _drop_other(admin: Admin) -> None:
    with admin.connect() as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{OTHER}" WITH (FORCE)'.encode())


def here() -> str:
    return str(connections["default"].settings_dict["NAME"])


def rows(admin: Admin, database: str) -> dict[str, list[Any]]:
    with admin.connect(database) as connection:
        names = [name for (name,) in connection.execute(TABLES).fetchall()]
        return {
            name: sorted(str(row) for row in connection.execute(f'SELECT * FROM "{name}"'.encode()).fetchall())
            for name in names
        }


def walls(admin: Admin, database: str) -> dict[str, list[Any]]:
    with admin.connect(database) as connection:
        found = {name: connection.execute(wall.encode()).fetchall() for name, wall in WALLS.items()}
    # PostgreSQL writes the casts of a list of words otherwise once it has read them back.
    return {name: [tuple(CASTS.sub("", str(part)) for part in row) for row in rows] for name, rows in found.items()}


def kept_in(settings: Any, folder: Path) -> None:
    stores: Any = current.STORAGES
    settings.STORAGES = {**stores, "blobs": {**stores["blobs"], "OPTIONS": {"location": folder}}}


def files() -> dict[str, bytes]:
    store = storages["blobs"]
    found = {}
    for key in backup._keys(store):
        with store.open(key) as file:
            found[key] = file.read()
    return found


def test_what_comes_back_is_what_was_there(
    cast: Cast, test_database: Admin, tmp_path: Path, elsewhere: Path, settings: Any
) -> None:
    plant(cast)
    before, kept, target = rows(test_database, here()), files(), tmp_path / "footnote.tar"

    made = backup.write(test_database, here(), target)
    kept_in(settings, elsewhere)
    ensure_database(test_database, OTHER)  # as a first start leaves it: there, and empty
    within = Admin(conninfo.make_conninfo(test_database.url, dbname=OTHER))
    backup.read(within, OTHER, target, env.current().database_passwords)

    after = rows(test_database, OTHER)
    sessions = after.pop("django_session")
    assert before.pop("django_session") and sessions == []
    assert after == before
    assert walls(test_database, OTHER) == walls(test_database, here())
    assert kept and files() == kept and made.files == len(kept)
    with test_database.connect(OTHER) as connection:
        assert connection.execute("SELECT count(*) FROM footnote.context_key").fetchone() == (0,)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_nothing_is_restored_over_a_workspace(cast: Cast, test_database: Admin, tmp_path: Path) -> None:
    target = tmp_path / "footnote.tar"
    backup.write(test_database, here(), target)

    with pytest.raises(backup.BackupFailed, match="has workspaces already"):
        backup.read(test_database, here(), target, env.current().database_passwords)

    assert Workspace.objects.using("owner").count() == 2


def test_a_backup_does_not_replace_another(cast: Cast, test_database: Admin, tmp_path: Path) -> None:
    target = tmp_path / "footnote.tar"
    target.write_bytes(b"an older one")

    with pytest.raises(backup.BackupFailed, match="is there already"):
        backup.write(test_database, here(), target)

    assert target.read_bytes() == b"an older one"


def test_a_backup_that_cannot_be_made_leaves_nothing(cast: Cast, tmp_path: Path) -> None:
    nowhere = Admin("postgresql://nobody:wrong@127.0.0.1:1/nothing")

    with pytest.raises(backup.BackupFailed, match="pg_dump failed") as failed:
        backup.write(nowhere, "nothing", tmp_path / "footnote.tar")

    assert "wrong" not in str(failed.value)
    assert list(tmp_path.glob("footnote*")) == []


@pytest.mark.parametrize("content", [b"", b"text", b"cut"])
def test_what_is_no_whole_backup_changes_nothing(
    cast: Cast, test_database: Admin, tmp_path: Path, content: bytes
) -> None:
    target = tmp_path / "footnote.tar"
    if content == b"cut":
        backup.write(test_database, here(), target)
        content = target.read_bytes()[:-20_000]
    target.write_bytes(content)

    with pytest.raises(backup.BackupFailed, match="not a whole backup"):
        backup.read(test_database, OTHER, target, env.current().database_passwords)

    with test_database.connect() as connection:
        assert connection.execute("SELECT FROM pg_database WHERE datname = %s", [OTHER]).fetchone() is None


def test_a_file_that_points_outside_is_left_out(tmp_path: Path, settings: Any) -> None:
    kept_in(settings, tmp_path / "blobs")
    target = tmp_path / "made.tar"
    with tarfile.open(target, "w") as tar:
        for name in ("blobs/../../outside", "blobs/ab/inside", "other/file"):
            entry = tarfile.TarInfo(name)
            entry.size = 4
            tar.addfile(entry, io.BytesIO(b"text"))

    backup._put_back(target)

    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"made.tar", "inside"}


def test_a_workspace_is_made_for_a_new_person_and_for_a_known_one(cast: Cast, capsys: Any) -> None:
    call_command("make_workspace", "Support  desk", "--owner", "kim@example.org")
    first = capsys.readouterr().out
    call_command("make_workspace", "Second", "--owner", "KIM@example.org")
    second = capsys.readouterr().out

    assert "password  as before" in second and "password  as before" not in first
    owned = Membership.objects.using("owner").filter(user__email="kim@example.org", role="owner")
    assert set(owned.values_list("workspace__name", flat=True)) == {"Support desk", "Second"}
    for wrong in (["x", "--owner", "kim"], [" ", "--owner", "kim@example.org"]):
        with pytest.raises(CommandError):
            call_command("make_workspace", *wrong)
