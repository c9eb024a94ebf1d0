"""The SQL function of the asker: the k nearest of what they see, then the threshold."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connections

from documents.embedding.vector import as_text
from documents.models import Document
from documents.worker import work_through
from portal.models import User
from portal.scope import principal
from retrieval.embedding import question_vector
from tests.documents.ingest.conftest import Shelf
from tests.retrieval.conftest import Find


@pytest.fixture
def filled(shelf: Shelf, find: Find) -> Shelf:
    for number in range(8):
        shelf.put(f"{number}.txt", f"The filter number {number} of the pump is cleaned every month.")
    shelf.put("secret.txt", "The filter of the vault is cleaned by nobody.", user=shelf.cast.cy)
    work_through()
    return shelf


def match(
    shelf: Shelf, text: str, user: User | None = None, alias: str = "serve", **named: Any
) -> list[tuple[Any, ...]]:
    vector, *_ = question_vector(text)
    assert vector is not None
    arguments = "".join(f", {name} => %s" for name in named)
    with principal(shelf.cast.scope(user or shelf.cast.ada), using=alias), connections[alias].cursor() as cursor:
        cursor.execute(
            f"SELECT document_ref, content, similarity FROM footnote.match_documents(%s::text::vector{arguments})",
            [as_text(vector), *named.values()],
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def test_five_come_back_nearest_first_unless_asked_otherwise(filled: Shelf) -> None:
    rows = match(filled, "The filter number 3 of the pump is cleaned every month.", match_threshold=-1)

    assert len(rows) == 5
    assert "number 3" in rows[0][1]
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)
    assert len(match(filled, "anything", match_threshold=-1, match_count=50)) == 8


def test_the_threshold_leaves_out_and_replaces_nothing(filled: Shelf) -> None:
    every = match(filled, "filter of the pump", match_threshold=-1, match_count=8)
    edge = every[2][2]

    assert match(filled, "filter of the pump", match_threshold=edge, match_count=8) == every[:3]
    assert all(row[2] >= 0.5 for row in match(filled, "filter of the pump"))
    assert match(filled, "filter of the pump", match_threshold=-1, match_count=0) == []


def test_each_sees_their_own_and_deleted_ones_are_gone(filled: Shelf) -> None:
    mine = match(filled, "filter", match_threshold=-1, match_count=50)
    theirs = match(filled, "filter", filled.cast.cy, match_threshold=-1, match_count=50)
    Document.objects.using("owner").filter(name="3.txt").update(deleted_at="2026-01-01T00:00:00Z")
    rest = match(filled, "filter", match_threshold=-1, match_count=7)

    assert [row[1] for row in theirs] == ["The filter of the vault is cleaned by nobody."]
    assert not {row[0] for row in mine} & {row[0] for row in theirs}
    assert len(rest) == 7
    assert not [row for row in rest if "number 3" in row[1]]
    assert len(match(filled, "filter", alias="default", match_threshold=-1, match_count=50)) == 7


def test_without_an_asker_it_gives_nothing(filled: Shelf) -> None:
    from tests.conftest import unguarded

    with unguarded("serve"), connections["serve"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM footnote.match_documents('[1,0,0,0,0,0,0,0]'::vector, -1, 50)")
        assert cursor.fetchone() == (0,)
