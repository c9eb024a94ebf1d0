"""The shelf of the ingest tests, and questions asked of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from portal.models import Collection, User
from portal.people import share
from retrieval.search import Query, search
from tests.conftest import Cast
from tests.documents.ingest.conftest import Shelf, embedder, own_state_of_the_process, shelf

__all__ = ["embedder", "own_state_of_the_process", "shelf"]
Search = Callable[[User, str], list[str]]


@pytest.fixture
def searched(cast: Cast) -> Search:
    """`searched(ada, "words")`: the refs of documents that a question of these words finds for ada."""

    def of(user: User, words: str) -> list[str]:
        return [passage.document_ref for passage in search(cast.scope(user), Query(words)).passages]

    return of


def granted(cast: Cast, *users: User, name: str = "Desk") -> Collection:
    """A collection of ada's that only the named members see, and may edit."""
    made: Collection = Collection.objects.using("owner").create(
        workspace=cast.north, name=name, kind="granted", owner=cast.ada
    )
    for user in users:
        share(made, user, may_edit=True)
    return made


__all__ += ["Search", "Shelf", "granted"]
