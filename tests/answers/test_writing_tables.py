"""The tables of writing models under the real roles: who sees and changes them, and what a deletion takes along."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connections

from answers.models import Budget, LiveAnswer, ModelProvider, Spend, WrittenText
from documents import lifecycle
from documents.models import Document
from portal.scope import Scope, principal
from tests.answers.conftest import Ask, answer_of
from tests.documents.ingest.conftest import Shelf

ASKED = "What does E4304 mean for the motor?"


def count(scope: Scope, model: Any) -> int:
    with principal(scope):
        return int(model.objects.unscoped(reason="the policy alone").count())


def written(shelf: Shelf, ask: Ask) -> WrittenText:
    """A model's text for ada's answer, as if it had read the one document of the shelf."""
    answer = answer_of(shelf, ask(ASKED))
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        document = Document.objects.visible_to(scope).get(name="pump.md")
        row: WrittenText = WrittenText.objects.create_for(
            scope,
            answer=answer,
            text="The motor is too hot [1].",
            collection_ids=[document.collection_id],
            document_ids=[document.pk],
        )
    return row


def test_owners_set_providers_and_budgets_and_other_members_only_read_them(shelf: Shelf) -> None:
    cast = shelf.cast
    ada = cast.scope(cast.ada)
    with principal(ada):
        ModelProvider.objects.create_for(ada, name="one", base_url="https://models.example/v1", model="m")
        Budget.objects.create_for(ada, workspace_usd=5)

    for member in (cast.ben, cast.cy):
        scope = cast.scope(member)
        with pytest.raises(DatabaseError), principal(scope):
            ModelProvider.objects.using("default").create(
                workspace_id=ada.workspace_id, name="x", base_url="https://x.example", model="m"
            )
        with principal(scope):
            changed = ModelProvider.objects.unscoped(reason="the policy alone").update(base_url="https://evil.example")
            assert changed == 0
    assert [count(cast.scope(who), ModelProvider) for who in (cast.ada, cast.ben, cast.cy)] == [1, 1, 0]
    assert [count(cast.scope(who), Budget) for who in (cast.ada, cast.ben, cast.cy)] == [1, 1, 0]


def test_what_was_spent_is_summed_by_the_database_and_never_changed(shelf: Shelf) -> None:
    cast = shelf.cast
    for member, cost in ((cast.ada, 1.5), (cast.ben, 0.5), (cast.cy, 9.0)):
        scope = cast.scope(member)
        with principal(scope):
            Spend.objects.create_for(scope, provider="p", model="m", cost_usd=cost)

    sums = {}
    for name in ("ada", "ben", "cy"):
        scope = cast.scope(getattr(cast, name))
        with principal(scope), connections["default"].cursor() as cursor:
            cursor.execute("SELECT * FROM footnote.spent_this_month()")
            sums[name] = cursor.fetchone()
        with pytest.raises(DatabaseError), principal(scope):
            Spend.objects.unscoped(reason="the grant alone").update(cost_usd=0)

    assert sums == {"ada": (2.0, 1.5), "ben": (2.0, 0.5), "cy": (9.0, 9.0)}
    assert count(cast.scope(cast.ben), Spend) == 1


def test_answers_on_their_way_are_the_askers_alone(shelf: Shelf) -> None:
    ada = shelf.cast.scope(shelf.cast.ada)
    with principal(ada):
        LiveAnswer.objects.create_for(ada, text="a question")

    seen = [count(shelf.cast.scope(who), LiveAnswer) for who in (shelf.cast.ada, shelf.cast.ben, shelf.cast.cy)]
    assert seen == [1, 0, 0]


def test_a_written_text_hides_with_the_collections_that_it_was_read_from(ask: Ask, shelf: Shelf) -> None:
    row = written(shelf, ask)
    ada, ben = shelf.cast.scope(shelf.cast.ada), shelf.cast.scope(shelf.cast.ben)
    assert (count(ada, WrittenText), count(ben, WrittenText)) == (1, 0)

    shelf.rows(
        "UPDATE answers_writtentext SET collection_ids = collection_ids || 999999999::bigint WHERE id = %s RETURNING id",
        row.pk,
    )

    assert count(ada, WrittenText) == 0


def test_deleting_a_document_blanks_what_a_model_wrote_after_reading_it(ask: Ask, shelf: Shelf) -> None:
    row = written(shelf, ask)
    scope = shelf.cast.scope(shelf.cast.ben)
    with principal(scope):
        lifecycle.delete(scope, Document.objects.visible_to(scope).get(name="pump.md"))

    kept = shelf.rows("SELECT text, sentences::text, redacted FROM answers_writtentext WHERE id = %s", row.pk)
    assert kept == [("", "[]", True)]
