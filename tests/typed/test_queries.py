"""What the typed API asks of the database does not grow with what there is; a key's use is kept to the minute."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from answers.typed import catalogue
from portal.access import scope_of_key
from portal.keys import make_key
from portal.models import ApiKey, Collection
from tests.conftest import Cast

OWNER = "owner"


def counted(work: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connections["default"]) as found:
        work()
    return len(found)


def test_the_list_of_models_takes_as_many_queries_for_one_collection_as_for_thirty(cast: Cast) -> None:
    first = cast.scope(cast.ada)
    few = counted(lambda: catalogue.models_of(first))
    for number in range(30):
        Collection.objects.using(OWNER).create(workspace=cast.north, name=f"Shelf {number}", kind="shared")
    scope = cast.scope(cast.ada)

    many = counted(lambda: catalogue.models_of(scope))

    assert len(catalogue.models_of(scope)) >= 32
    assert many == few


def test_a_key_s_use_is_written_once_a_minute(cast: Cast) -> None:
    row, key = make_key(cast.scope(cast.ada), "x", scopes=["read"])

    scope_of_key(key)
    first = ApiKey.objects.using(OWNER).get(pk=row.pk).last_used_at
    scope_of_key(key)
    second = ApiKey.objects.using(OWNER).get(pk=row.pk).last_used_at
    earlier = timezone.now() - timedelta(minutes=2)
    ApiKey.objects.using(OWNER).filter(pk=row.pk).update(last_used_at=earlier)
    scope_of_key(key)
    third = ApiKey.objects.using(OWNER).get(pk=row.pk).last_used_at

    assert first is not None and first == second
    assert third is not None and third > first


def test_requests_of_one_key_do_not_wait_for_each_other(cast: Cast) -> None:
    """While one transaction holds the key's row, as a write would, another request is answered."""
    _, key = make_key(cast.scope(cast.ada), "x", scopes=["read"])
    scope_of_key(key)

    with connections[OWNER].cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT 1 FROM portal_apikey FOR UPDATE")
        found = scope_of_key(key)
        cursor.execute("ROLLBACK")

    assert found is not None and found.role == "owner"
