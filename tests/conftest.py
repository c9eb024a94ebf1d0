"""The tests' database and cast. Tests run under the real roles; what they write is committed, and the owner cleans up."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections

from portal import database as bootstrap
from portal import env
from portal.access import scope_of
from portal.models import Collection, Membership, User, Workspace
from portal.people import add_person, add_workspace, join
from portal.scope import Scope

PASSWORD = "correct horse battery"


@pytest.fixture(scope="session")
def test_database(django_db_blocker: Any) -> Iterator[bootstrap.Admin]:
    """A fresh database beside the real one, made through the superuser and migrated by the owner role."""
    here = env.current()
    if not here.admin_database_url:
        pytest.exit("No database for the tests: run them with `make test`, which starts one.", returncode=3)
    admin = bootstrap.Admin(here.admin_database_url)
    name = "test_" + settings.DATABASES["default"]["NAME"]
    with admin.connect() as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    bootstrap.ensure_roles(admin, here.database_passwords)
    bootstrap.ensure_database(admin, name)
    for alias in connections:
        connections[alias].settings_dict["NAME"] = name
    with django_db_blocker.unblock():
        call_command("migrate", database="owner", interactive=False, verbosity=0)
        bootstrap.seal_context_key(
            admin, name, bytes.fromhex(settings.CONTEXT_KEY), binds_pid=settings.CONTEXT_BINDS_PID
        )
    yield admin
    with django_db_blocker.unblock():
        connections.close_all()


@pytest.fixture
def database(test_database: bootstrap.Admin, django_db_blocker: Any, tmp_path: Any, settings: Any) -> Iterator[None]:
    """The real database under the real roles, empty again afterwards; blobs go to a folder of the test's own."""
    settings.STORAGES = {
        **settings.STORAGES,
        "blobs": {**settings.STORAGES["blobs"], "OPTIONS": {"location": tmp_path / "blobs"}},
    }
    with django_db_blocker.unblock():
        yield
        for alias in connections:
            connections[alias].close()
    with test_database.connect(connections["default"].settings_dict["NAME"]) as connection:
        connection.execute("TRUNCATE portal_user, portal_workspace, documents_embeddingmodel, django_session CASCADE")


@contextlib.contextmanager
def unguarded(alias: str) -> Iterator[None]:
    """The alias as it is in production, where the database alone refuses."""
    wrappers = connections[alias].execute_wrappers
    held = list(wrappers)
    wrappers.clear()
    try:
        yield
    finally:
        wrappers[:] = held


@dataclass(frozen=True, slots=True)
class Cast:
    """ada owns a workspace, ben edits in it, dot reads in it, cy owns another one; root is staff and a member of ada's."""

    north: Workspace
    south: Workspace
    ada: User
    ben: User
    dot: User
    cy: User
    root: User

    def scope(self, user: User) -> Scope:
        """The person's scope now, in their own workspace."""
        workspace = self.south if user == self.cy else self.north
        scope = scope_of(user.pk, workspace.pk)
        assert scope is not None
        return scope

    def private(self, user: User) -> Collection:
        return Collection.objects.using("owner").get(owner=user, kind="private")

    def shared(self, workspace: Workspace) -> Collection:
        return Collection.objects.using("owner").get(workspace=workspace, kind="shared")


@pytest.fixture
def cast(database: None) -> Cast:
    ada, ben, dot, cy, root = (
        add_person(f"{name}@example.org", name=name.title(), password=PASSWORD, is_staff=name == "root")
        for name in ("ada", "ben", "dot", "cy", "root")
    )
    north = add_workspace("North", owner=ada)
    south = add_workspace("South", owner=cy)
    join(north, ben, role=Membership.Role.EDITOR)
    join(north, dot, role=Membership.Role.READER)
    join(north, root, role=Membership.Role.OWNER)
    return Cast(north, south, ada, ben, dot, cy, root)
