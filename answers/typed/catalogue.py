"""The models that a key may name: `footnote` over all that it sees, one for each collection, and the embedding model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from documents.embedders import live_name
from documents.models import EmbeddingModel
from portal.models import Collection, Workspace
from portal.problems import UserProblem
from portal.scope import Scope, principal

ALL: Final = "footnote"
_OF_COLLECTION: Final = re.compile(r"footnote:([0-9a-f]{18})")


@dataclass(frozen=True, slots=True)
class Listed:
    id: str
    created: int
    name: str


def models_of(scope: Scope) -> tuple[Listed, ...]:
    """Three queries, whatever there is."""
    with principal(scope):
        made_at = Workspace.objects.visible_to(scope).values_list("created_at", flat=True).get()
        shelves = list(Collection.objects.visible_to(scope).order_by("id").values_list("ref", "created_at", "name"))
        embedding = EmbeddingModel.objects.filter(state=EmbeddingModel.State.LIVE).first()
    found = [Listed(ALL, int(made_at.timestamp()), "All collections")]
    found += [Listed(f"{ALL}:{ref}", int(at.timestamp()), name) for ref, at, name in shelves]
    if embedding is not None:
        found.append(Listed(embedding.name, int(made_at.timestamp()), "Embeddings"))
    return tuple(found)


def model_of(scope: Scope, name: str) -> Listed:
    """Raises UserProblem answers.no_such_model, the same for a hidden collection and for none."""
    found = next((one for one in models_of(scope) if one.id == name), None)
    if found is None:
        raise UserProblem("answers.no_such_model")
    return found


def collections_of(scope: Scope, model: str) -> Sequence[str] | None:
    """The refs that a chat model searches; None for all. Raises UserProblem answers.no_such_model."""
    if model == ALL:
        return None
    named = _OF_COLLECTION.fullmatch(model)
    if named is None:
        raise UserProblem("answers.no_such_model")
    with principal(scope):
        if not Collection.objects.visible_to(scope).filter(ref=named[1]).exists():
            raise UserProblem("answers.no_such_model")
    return (named[1],)


def embedding_model_of(model: str) -> str:
    """Raises UserProblem answers.no_such_model for any but the live one."""
    if model != (live := live_name()):
        raise UserProblem("answers.no_such_model")
    return live
