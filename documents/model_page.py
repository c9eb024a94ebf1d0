"""Embedding models from inside the portal: what documents/model_switch.py does as the owner, asked for by an operator on a page.

The web process holds no owner's rights. Functions of the database do it (sql/0014_model_page.sql), for a member who is staff alone.
"""

from __future__ import annotations

from typing import Any, Final

from django.db import connections

from documents.embedders import address_of
from documents.embedding_models import KNOWN
from documents.model_switch import CannotSwitch, Progress
from documents.models import EmbeddingModel
from portal.events import Log
from portal.models import AuditEvent
from portal.scope import Scope

log = Log("documents.models")
State = EmbeddingModel.State
WHY: Final = {
    "refused": "Only an operator of this installation changes its embedding model.",
    "unknown": "{name} has no vectors. Start filling it first.",
    "live": "{name} is the live model already.",
    "missing": "{name} still lacks vectors. Wait until it says 100 %, or switch all the same: then passages without one are"
    " found by their words alone until they are filled.",
}


def progress(scope: Scope) -> list[Progress]:
    """Of every model, the live one first; empty for whoever is no operator. In the scope's open transaction."""
    counted = {row[0]: row[1:] for row in _rows("SELECT * FROM footnote.embedding_progress()")}
    models = sorted(EmbeddingModel.objects.using("default").order_by("id"), key=lambda row: row.state != State.LIVE)
    return [_progress(model, counted[model.pk]) for model in models if model.pk in counted]


def _progress(model: EmbeddingModel, counts: tuple[int, ...]) -> Progress:
    chunks, vectors, waiting, troubled = counts
    is_served = address_of(model.name) is not None
    return Progress(model.name, model.state, model.dims, vectors, chunks, waiting, troubled, is_served)


def start(scope: Scope, name: str) -> int:
    """Fill the model beside the live one; how many documents were queued. Raises CannotSwitch."""
    if address_of(name) is None:
        raise CannotSwitch(
            f"The environment names no embedder of {name}. Set EMBEDDER_NEXT_MODEL and restart web and worker."
        )
    dims, languages = KNOWN.get(
        name, (0, [])
    )  # an unknown model's first vectors tell: no embedder is asked inside a transaction
    queued = _value("SELECT footnote.fill_embedding_model(%s, %s, %s)", name, dims, languages)
    if queued is None:
        raise CannotSwitch(WHY["live" if progress(scope) else "refused"].format(name=name))
    _note(scope, "model.started", name)
    return int(queued)


def switch(scope: Scope, name: str, *, force: bool = False) -> None:
    """Make the model live; the one before it stays filled, so that switching to it goes back. Raises CannotSwitch."""
    if address_of(name) is None:
        raise CannotSwitch(f"The environment names no embedder of {name}, so no question could be embedded.")
    outcome = _value("SELECT footnote.switch_embedding_model(%s, %s)", name, force)
    if outcome != "done":
        raise CannotSwitch(WHY[outcome].format(name=name))
    _note(scope, "model.switched", name)


def before() -> str:
    """The model that was live before this one and is still filled, "" when there is none: what rolling back switches to."""
    rows = EmbeddingModel.objects.using("default").filter(state=State.BUILDING, live_until__isnull=False)
    return rows.order_by("-live_until").values_list("name", flat=True).first() or ""


def _note(scope: Scope, action: str, name: str) -> None:
    AuditEvent.objects.create_for(scope, user_id=scope.user_id, action=action, detail={"model": name})
    log.info(action, model=name)


def _rows(sql: str, *params: Any) -> list[tuple[Any, ...]]:
    with connections["default"].cursor() as cursor:
        cursor.execute(sql, list(params))
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _value(sql: str, *params: Any) -> Any:
    return _rows(sql, *params)[0][0]
