"""P2: hostile SQL through each role, without a context, with ada's own, and with a held job's. 0 writes, 0 foreign rows."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connections

from documents.models import IngestJob
from portal import checks, env
from portal.checks import SERVING
from portal.context import Context
from portal.database import Admin, ensure_roles
from portal.models import ApiKey
from portal.sessions import stored
from tests.conftest import Cast
from tests.isolation.attacker import Witness, attack, connected
from tests.isolation.canaries import canary, foreign_canaries
from tests.isolation.hostile import statements
from tests.isolation.planted import World, plant


@pytest.fixture
def world(cast: Cast) -> World:
    return plant(cast)


@pytest.fixture
def witness(world: World, test_database: Admin) -> Iterator[Witness]:
    watching = Witness(test_database, world)
    yield watching
    watching.close()


def names(world: World) -> dict[str, object]:
    """What the statements' braces stand for."""
    cast, papers = world.cast, world.papers
    return {
        "database": connections["default"].settings_dict["NAME"],
        "north": cast.north.pk,
        "south": cast.south.pk,
        "ada": cast.ada.pk,
        "ben": cast.ben.pk,
        "cy": cast.cy.pk,
        "own_doc": papers["ada"].document.pk,
        "own_private": papers["ada"].collection.pk,
        "own_shared": papers["north"].collection.pk,
        "ben_doc": papers["ben"].document.pk,
        "ben_version": papers["ben"].version.pk,
        "ben_blob": papers["ben"].blob.pk,
        "ben_private": papers["ben"].collection.pk,
        "cy_doc": papers["cy"].document.pk,
        "cy_ref": papers["cy"].document.ref,
        "cy_name": papers["south"].document.name_key,
        "cy_version": papers["cy"].version.pk,
        "cy_blob": papers["cy"].blob.pk,
        "cy_private": papers["cy"].collection.pk,
        "cy_shared": papers["south"].collection.pk,
        "cy_collection_ref": papers["south"].collection.ref,
        "cy_answer": world.asked["cy"].answer.pk,
        "cy_key_ref": world.keys["cy"].split("_")[1],
        "known_session": stored("a cookie that the attacker chose"),
    }


def held_job(world: World) -> Context:
    """ada's job as a worker holds it: running, first attempt, lease in the future."""
    job = world.papers["ada"].job
    IngestJob.objects.using("owner").filter(pk=job.pk).update(
        state="running", attempt=1, lease_until="2999-01-01T00:00:00Z"
    )
    return Context(world.cast.north.pk, None, (job.pk, 1), None)


def context_of(alias: str, world: World, *, rightful: bool) -> Context | None:
    if not rightful:
        return None
    return held_job(world) if alias == "ingest" else Context(world.cast.north.pk, world.cast.ada.pk, None, None)


def taken(loot_text: str, sql: str, alias: str, *, rightful: bool) -> set[str]:
    """Whose canaries came back that should not; a worker rightly reads all of its job's workspace."""
    who = "ada" if rightful else "nobody"
    in_workspace = {"ben", "dot"} if rightful and alias == "ingest" else set()
    return foreign_canaries(loot_text.replace(sql, ""), who) - in_workspace


BLUNT = ("SyntaxError", "UndefinedColumn", "UndefinedFunction", "UndefinedTable", "UndefinedObject", "NotNullViolation")
"""A statement that fails for one of these proves nothing about isolation."""


@pytest.mark.parametrize("rightful", [False, True], ids=["without a context", "with the own context"])
@pytest.mark.parametrize("alias", SERVING)
def test_hostile_statements_neither_read_nor_write(alias: str, rightful: bool, world: World, witness: Witness) -> None:
    """Each statement is committed when it goes through; afterwards nothing that is not ada's may differ."""
    context = context_of(alias, world, rightful=rightful)
    filled = statements(**names(world))
    before = witness.look()
    read, wrote, blunt = {}, {}, {}

    with connected(alias) as connection:
        for name, sql in filled.items():
            loot = attack(connection, sql, context=context, alias=alias)
            if foreign := taken(loot.text, sql, alias, rightful=rightful):
                read[name] = foreign
            if (after := witness.look()) != before:
                wrote[name] = {table for table in after if after[table] != before[table]}
                before = after
            if loot.error in BLUNT:
                blunt[name] = loot.text

    assert blunt == {}
    assert read == {}
    assert wrote == {}
    assert len(filled) >= 60


@pytest.mark.parametrize("alias", SERVING)
def test_the_rightful_context_of_the_attacks_is_alive(alias: str, world: World) -> None:
    """Else every attack would fail for want of rights, and prove nothing."""
    context = context_of(alias, world, rightful=True)

    with connected(alias) as connection:
        with_context = attack(connection, "SELECT text FROM documents_chunk", context=context, alias=alias)
        without = attack(connection, "SELECT text FROM documents_chunk", context=None, alias=alias)

    assert canary("ada", "text") in with_context.text and canary("north", "text") in with_context.text
    assert (without.text, without.error) == ("", "")


WRITABLE = "SET TRANSACTION READ WRITE"


@pytest.mark.parametrize("alias", SERVING)
def test_what_a_role_does_to_itself_is_told_and_undone_by_bootstrap(
    alias: str, world: World, test_database: Admin
) -> None:
    """PostgreSQL lets every role do this: it disturbs, it opens nothing, and it does not last."""
    with connected(alias) as connection:
        attack(connection, f"{WRITABLE}; ALTER ROLE CURRENT_USER SET search_path = 'mine'", context=None, alias=alias)
        connections[alias].close()
        found = checks.faults()
        attack(connection, f"{WRITABLE}; ALTER ROLE CURRENT_USER PASSWORD 'known'", context=None, alias=alias)
    with pytest.raises(psycopg.OperationalError), connected(alias):
        pass

    ensure_roles(test_database, env.current().database_passwords)
    connections[alias].close()

    assert found[0] == f"{SERVING[alias]} has other settings than bootstrap gave it: search_path"
    assert checks.faults() == []


def key_context(world: World) -> Context:
    row = ApiKey.objects.using("owner").get(ref=world.keys["ada"].split("_")[1])
    return Context(world.cast.north.pk, world.cast.ada.pk, None, row.pk)


KEY_WRITES = {
    "mint a key": "INSERT INTO portal_apikey (workspace_id, user_id, ref, name, secret_sha256, scopes, created_at)"
    " VALUES ({north}, {ada}, 'minted', 'x', sha256('x'), '{{admin}}', now())",
    "revive a key": "UPDATE portal_apikey SET revoked_at = NULL WHERE name = 'revoked'",
    "change the password": "UPDATE portal_user SET password = 'known'",
    "read the password": "SELECT footnote.own_password({ada})",
    "raise a member": "UPDATE portal_membership SET role = 'owner' WHERE user_id = {ben}",
    "remove a member": "DELETE FROM portal_membership WHERE user_id = {ben}",
    "share a collection": "INSERT INTO portal_grant (workspace_id, collection_id, user_id, may_edit)"
    " VALUES ({north}, {own_private}, {ben}, true)",
    "see the other workspaces": "SELECT name FROM portal_workspace WHERE id <> {north}",
    "see the other memberships": "SELECT role FROM portal_membership WHERE workspace_id <> {north}",
    "see the other keys": "SELECT name FROM portal_apikey WHERE name = 'revoked'",
}


def test_a_key_reaches_no_account_no_member_and_no_other_key(world: World) -> None:
    """ada is the owner; a program that holds one of her keys is not."""
    ApiKey.objects.using("owner").create(
        workspace_id=world.cast.north.pk,
        user=world.cast.ada,
        name="revoked",
        secret_sha256=b"x",
        scopes=[],
        revoked_at="2020-01-01T00:00Z",
    )
    gave = {}

    with connected("default") as connection:
        for name, sql in KEY_WRITES.items():
            filled = sql.format(**names(world)) + ("" if "SELECT" in sql else " RETURNING 1")
            loot = attack(connection, filled, context=key_context(world), alias="default")
            if loot.text.strip() not in ("", "None") and not loot.error:
                gave[name] = loot.text

    assert gave == {}


def test_a_revoked_key_and_a_suspended_member_see_nothing_of_the_account(world: World) -> None:
    context = key_context(world)
    assert context.api_key_id is not None
    ApiKey.objects.using("owner").filter(pk=context.api_key_id).update(revoked_at="2020-01-01T00:00Z")

    with connected("default") as connection:
        seen = {
            table: attack(connection, f"SELECT count(*) FROM {table}", context=context, alias="default").text
            for table in ("portal_user", "portal_workspace", "portal_membership", "portal_apikey", "answers_question")
        }

    assert set(seen.values()) == {"0"}
