"""What is told, to whom: written by the database in the transaction of the change."""

from __future__ import annotations

import pytest
from django.db import transaction

from documents import lifecycle
from documents.models import Document
from evaluation.models import GoldenSet, Run
from portal.hooks import store
from portal.models import Collection, Delivery, Grant, Membership
from portal.scope import principal
from tests.conftest import Cast
from tests.hooks.making import OWNER, add_document, become, log, make_hook, shared_documents


def told(cast: Cast) -> list[tuple[str, str]]:
    return [(row.event, row.subject_ref) for row in Delivery.objects.using(OWNER).order_by("id")]


def test_a_document_that_is_ready_needs_attention_and_is_deleted_is_told_of_in_that_order(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    (document,) = shared_documents(cast, 1)
    become(document, "reading")
    become(document, "words")
    become(document, "attention", problem="documents.embedder_down")
    become(document, "attention", problem="documents.embedder_down")
    become(document, "ready", problem="")
    become(document, "ready", title="Another title")
    scope = cast.scope(cast.ada)
    with principal(scope):
        lifecycle.delete(scope, document)
    become(document, "attention", problem="documents.broken")

    rows = log(hook)

    assert [(row.event, row.subject_ref, row.told["state"], row.told["problem"]) for row in rows] == [
        ("document.needs_attention", document.ref, "attention", "documents.embedder_down"),
        ("document.ready", document.ref, "ready", None),
        ("document.deleted", document.ref, "deleted", None),
    ]


def test_a_change_that_is_rolled_back_is_not_told_of(cast: Cast) -> None:
    make_hook(cast.scope(cast.ada))
    (document,) = shared_documents(cast, 1)

    with transaction.atomic(using=OWNER):
        become(document, "ready")
        transaction.set_rollback(True, using=OWNER)

    assert told(cast) == []


def test_what_the_database_itself_finds_is_told_of_too(cast: Cast) -> None:
    """A job that was lost with its worker for the third time is stopped inside claim_job()."""
    from django.db import connections

    hook = make_hook(cast.scope(cast.ada))
    (document,) = shared_documents(cast, 1)
    with connections[OWNER].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_ingestjob SET state = 'running', crashes = 2, lease_until = now() - interval '1 hour'"
        )
    with connections["ingest"].cursor() as cursor:
        cursor.execute("SELECT job_id FROM footnote.claim_job('test', 45, true)")

    assert [(row.event, row.told["problem"]) for row in log(hook)] == [
        ("document.needs_attention", "documents.worker_lost")
    ]
    assert log(hook)[0].subject_ref == document.ref


def test_a_webhook_hears_the_events_that_it_listens_to_and_of_its_own_workspace(cast: Cast) -> None:
    ready = make_hook(cast.scope(cast.ada), events=["document.ready"])
    deleted = make_hook(cast.scope(cast.ada), events=["document.deleted"])
    theirs = make_hook(cast.scope(cast.cy))
    (document,) = shared_documents(cast, 1)
    become(document, "ready")

    assert [len(log(hook)) for hook in (ready, deleted, theirs)] == [1, 0, 0]


def test_it_hears_of_what_its_maker_sees_and_of_nothing_else(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    hidden = Collection.objects.using(OWNER).create(
        workspace=cast.north, name="Hidden", kind="granted", owner=cast.root
    )
    private = add_document(cast.scope(cast.ben), cast.private(cast.ben).pk, "private.md")
    granted = add_document(cast.scope(cast.root), hidden.pk, "granted.md")
    own = add_document(cast.scope(cast.ada), cast.private(cast.ada).pk, "own.md")
    for document in (private, granted, own):
        become(document, "ready")
    Grant.objects.using(OWNER).create(workspace=cast.north, collection=hidden, user=cast.ada)
    become(granted, "attention")

    assert [(row.event, row.subject_ref) for row in log(hook)] == [
        ("document.ready", own.ref),
        ("document.needs_attention", granted.ref),
    ]


@pytest.mark.parametrize("change", [{"role": "editor"}, {"state": "suspended"}])
def test_it_hears_nothing_once_its_maker_is_no_owner(cast: Cast, change: dict[str, str]) -> None:
    make_hook(cast.scope(cast.ada))
    (document,) = shared_documents(cast, 1)
    Membership.objects.using(OWNER).filter(workspace=cast.north, user=cast.ada).update(**change)
    become(document, "ready")

    assert told(cast) == []


def test_one_that_is_off_hears_nothing(cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    hook = make_hook(scope)
    store.switch_off(scope, hook)
    become(shared_documents(cast, 1)[0], "ready")

    assert told(cast) == []


def test_the_end_of_a_run_is_told_of_once(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    golden = GoldenSet.objects.using(OWNER).create(workspace=cast.north, name="Main")
    values = {"workspace": cast.north, "user": cast.ada, "golden_set": golden, "set_version": 1}
    run = Run.objects.using(OWNER).create(
        **values, collection_ids=[cast.shared(cast.north).pk], total=4, config_hash="x"
    )
    hidden = Run.objects.using(OWNER).create(**values, collection_ids=[cast.private(cast.ben).pk], config_hash="x")
    for row in (run, hidden):
        for state in ("running", "done", "done"):
            Run.objects.using(OWNER).filter(pk=row.pk).update(state=state, done=4)

    assert [(row.event, row.subject_ref, row.told) for row in log(hook)] == [
        ("run.finished", run.ref, {"state": "done", "problem": None, "done": 4, "total": 4})
    ]


def test_without_a_webhook_a_change_writes_nothing(cast: Cast) -> None:
    become(shared_documents(cast, 1)[0], "ready")

    assert not Delivery.objects.using(OWNER).exists()
    assert Document.objects.using(OWNER).get().state == "ready"
