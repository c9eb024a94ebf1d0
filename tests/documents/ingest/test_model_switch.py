"""Case 23: another embedding model, with other dimensions, fills beside the live one; the switch has no gap and a way back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from answers import ask as walk
from documents import ingest, model_switch, queue
from documents.embedders import address_of, live_name
from documents.embedding_models import ensure_live
from documents.model_switch import CannotSwitch
from documents.models import EmbeddingModel
from documents.readiness import checks
from documents.worker import work_through
from portal.scope import principal
from retrieval import embedding
from retrieval.query import Query
from retrieval.search import search
from tests.documents.ingest.conftest import Shelf, forget_embedder
from tests.fakes.openai_server import OpenAIServer, Silent, Status

TEXTS = {
    f"pump-{n}.txt": f"The pump number {n} is cleaned with water every {n} days by a technician." for n in range(4)
}
VECTORS = "SELECT m.name, count(*), min(vector_dims(v.embedding)) FROM documents_chunkvector v JOIN documents_embeddingmodel m"
VECTORS += " ON m.id = v.model_id GROUP BY m.name"


@pytest.fixture
def wide(settings: Any, embedder: OpenAIServer) -> Iterator[OpenAIServer]:
    """A second embedder of 48 dimensions, named by EMBEDDER_NEXT_*."""
    with OpenAIServer(dims=48) as server:
        settings.EMBEDDER_NEXT_URL, settings.EMBEDDER_NEXT_MODEL, settings.EMBEDDER_NEXT_KEY = server.url, "wide", ""
        for factory in (embedding.question_embedder, walk.question_embedder):
            forget_embedder(factory)
        yield server
        for factory in (embedding.question_embedder, walk.question_embedder):
            forget_embedder(factory)


@pytest.fixture
def filled(shelf: Shelf, wide: OpenAIServer) -> Shelf:
    """Four documents, ready under the live model."""
    for name, text in TEXTS.items():
        shelf.put(name, text)
    work_through()
    wide.requests.clear()
    return shelf


def counts(shelf: Shelf) -> dict[str, tuple[int, int]]:
    return {name: (number, dims) for name, number, dims in shelf.rows(VECTORS)}


def by_meaning(shelf: Shelf, text: str = "who cleans the pump", user: Any = None) -> tuple[str, int]:
    """The model that embedded the question, and how many passages came back by meaning alone."""
    vector, note, model = embedding.question_vector(text)
    assert not note
    scope = shelf.cast.scope(user or shelf.cast.ada)
    return model, len(search(scope, Query(text, vector, model, words=False)).passages)


def test_the_new_one_fills_while_questions_use_the_live_one(filled: Shelf, wide: OpenAIServer) -> None:
    before = filled.rows("SELECT id, state, vector_count, updated_at FROM documents_document ORDER BY id")

    assert model_switch.start("wide") == 4
    assert by_meaning(filled) == ("toy", 4)
    work_through()

    assert counts(filled) == {"toy": (4, 32), "wide": (4, 48)}
    assert by_meaning(filled) == ("toy", 4)
    assert filled.rows("SELECT id, state, vector_count, updated_at FROM documents_document ORDER BY id") == before
    live, building = model_switch.progress()
    assert (live.name, live.state, live.percent) == ("toy", "live", 100)
    assert (building.name, building.state, building.percent, building.waiting) == ("wide", "building", 100, 0)


def test_switch_and_rollback_under_questions_lose_none(filled: Shelf) -> None:
    """The switch lands between a question's vector and its search, and anywhere else: every question finds all four."""
    model_switch.start("wide")
    work_through()
    wrong: list[Any] = []
    seen: set[str] = set()
    stop, begun = threading.Event(), threading.Event()

    def ask_on() -> None:
        try:
            while not stop.is_set():
                model, found = by_meaning(filled)
                seen.add(model)
                begun.set()
                if found != 4:
                    wrong.append((model, found))
        except Exception as error:  # noqa: BLE001 (handed to the test)
            wrong.append(error)
        finally:
            connections.close_all()

    asking = [threading.Thread(target=ask_on) for _ in range(2)]
    for thread in asking:
        thread.start()
    begun.wait(20)
    for _ in range(4):
        model_switch.switch("wide")
        model_switch.rollback()
    model_switch.switch("wide")
    stop.set()
    for thread in asking:
        thread.join()

    assert wrong == []
    assert by_meaning(filled) == ("wide", 4)
    assert "toy" in seen


def test_a_question_embedded_before_the_switch_is_searched_among_its_own_vectors(filled: Shelf) -> None:
    model_switch.start("wide")
    work_through()
    vector, _, model = embedding.question_vector("who cleans the pump")

    model_switch.switch("wide")
    found = search(filled.cast.scope(filled.cast.ada), Query("", vector, model, words=False))

    assert (model, len(found.passages)) == ("toy", 4)


def test_after_the_vectors_of_its_model_are_gone_a_question_is_searched_by_words(filled: Shelf) -> None:
    model_switch.start("wide")
    work_through()
    vector, _, model = embedding.question_vector("who cleans the pump")
    model_switch.switch("wide")

    assert model_switch.retire("toy") == 4
    found = search(filled.cast.scope(filled.cast.ada), Query("cleaned pump", vector, model))

    assert len(found.passages) == 4
    assert counts(filled) == {"wide": (4, 48)}


def test_an_incomplete_model_goes_live_by_force_alone_and_is_filled_then(filled: Shelf) -> None:
    model_switch.start("wide")
    with pytest.raises(CannotSwitch, match="lacks 4 of 4 vectors"):
        model_switch.switch("wide")
    assert live_name() == "toy"

    model_switch.switch("wide", force=True)
    assert {state for (state,) in filled.rows("SELECT state FROM documents_document")} == {"words"}
    work_through()

    assert {state for (state,) in filled.rows("SELECT state FROM documents_document")} == {"ready"}
    assert by_meaning(filled) == ("wide", 4)


def test_files_that_come_meanwhile_go_first_and_get_both(filled: Shelf) -> None:
    model_switch.start("wide")
    late = filled.put("valve.txt", "The valve is painted green before it is delivered.")
    claimed = queue.claim()
    assert claimed is not None
    assert filled.rows("SELECT d.ref FROM documents_document d WHERE d.id = %s", claimed.document_id) == [
        (late.document_ref,)  # type: ignore[union-attr]
    ]

    assert ingest.run(claimed) == "beside"
    assert filled.document(late.document_ref).state == "ready"  # type: ignore[union-attr]
    work_through()

    assert counts(filled) == {"toy": (5, 32), "wide": (5, 48)}


def test_what_comes_after_the_switch_keeps_the_way_back_whole(filled: Shelf) -> None:
    model_switch.start("wide")
    work_through()
    model_switch.switch("wide")
    filled.put_and_read("valve.txt", "The valve of the pump is painted green.")

    assert counts(filled) == {"toy": (5, 32), "wide": (5, 48)}
    assert model_switch.rollback().name == "toy"
    assert by_meaning(filled) == ("toy", 5)


def test_a_fill_that_was_killed_is_taken_up_where_it_was(filled: Shelf) -> None:
    model_switch.start("wide")
    assert queue.claim() is not None  # its worker dies now
    work_through()
    assert counts(filled)["wide"] == (3, 48)
    _lose_leases(filled)

    work_through()

    assert counts(filled)["wide"] == (4, 48)


def test_a_fill_lost_three_times_leaves_its_document_as_it_is_and_start_queues_it_again(filled: Shelf) -> None:
    model_switch.start("wide")
    for _ in range(3):
        assert queue.claim() is not None
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                "UPDATE documents_ingestjob SET next_try_at = now() + interval '1 day' WHERE state = 'queued'"
            )
        _lose_leases(filled)
    queue.claim()
    failed = filled.rows("SELECT state, problem FROM documents_ingestjob WHERE stage = 'beside' AND state = 'failed'")

    assert failed == [("failed", "documents.worker_lost")]
    assert {state for (state,) in filled.rows("SELECT state FROM documents_document")} == {"ready"}
    assert model_switch.start("wide") == 1


def _lose_leases(shelf: Shelf) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE documents_ingestjob SET lease_until = now() - interval '1 s' WHERE state = 'running'")


@pytest.mark.parametrize("fault", [Status(401), Status(429, retry_after="600"), Silent()])
def test_a_new_embedder_in_trouble_is_told_on_the_job_and_on_nothing_else(
    filled: Shelf, wide: OpenAIServer, fault: Any
) -> None:
    wide.script(*[fault] * 40)
    model_switch.start("wide")
    claimed = queue.claim()
    assert claimed is not None
    ingest.run(claimed)

    rows = filled.rows("SELECT DISTINCT state, problem FROM documents_document")
    assert rows == [("ready", "")]
    assert model_switch.progress()[1].troubled == 1
    assert filled.put_and_read("valve.txt", "The valve is green.").state == "ready"


def test_members_see_their_own_vectors_of_both_models_and_no_others(filled: Shelf) -> None:
    ben = filled.cast.ben
    filled.put("payroll.txt", "The pump of the payroll.", user=ben, collection=filled.cast.private(ben))
    filled.put("south.txt", "The pump of the south.", user=filled.cast.cy)
    work_through()
    model_switch.start("wide")
    work_through()
    assert counts(filled) == {"toy": (6, 32), "wide": (6, 48)}

    for model in ("toy", "wide"):
        assert [by_meaning(filled, user=who) for who in (filled.cast.ada, filled.cast.ben, filled.cast.cy)] == [
            (model, 4),
            (model, 5),
            (model, 1),
        ]
        assert _seen(filled, "ada") == {"toy": 4, "wide": 4}
        if model == "toy":
            model_switch.switch("wide")


def _seen(shelf: Shelf, who: str) -> dict[str, int]:
    scope = shelf.cast.scope(getattr(shelf.cast, who))
    with principal(scope, using="serve"), connections["serve"].cursor() as cursor:
        cursor.execute(
            "SELECT m.name, count(*) FROM documents_chunkvector v JOIN documents_embeddingmodel m ON m.id = v.model_id GROUP BY 1"
        )
        return dict(cursor.fetchall())


def test_bootstrap_never_takes_the_live_models_place(filled: Shelf, settings: Any) -> None:
    settings.EMBEDDER_MODEL, settings.EMBEDDER_NEXT_MODEL = "wide", ""

    assert ensure_live().name == "toy"
    assert [(row.name, row.state) for row in EmbeddingModel.objects.using("owner").all()] == [("toy", "live")]
    says = next(check for check in checks() if check.code == "model")
    assert says.kind == "warn"
    assert not says.is_needed
    assert "Set EMBEDDER_MODEL=toy again" in says.detail
    assert "embedding_models start wide" in says.detail
    _, note, _ = embedding.question_vector("who cleans the pump")
    assert note == "retrieval.embedder_down"


def test_after_a_switch_the_environment_may_name_them_either_way(filled: Shelf, settings: Any) -> None:
    model_switch.start("wide")
    work_through()
    model_switch.switch("wide")
    assert ensure_live().name == "wide"
    assert model_switch.advice() == ""

    settings.EMBEDDER_MODEL, settings.EMBEDDER_NEXT_MODEL = settings.EMBEDDER_NEXT_MODEL, settings.EMBEDDER_MODEL
    settings.EMBEDDER_URL, settings.EMBEDDER_NEXT_URL = settings.EMBEDDER_NEXT_URL, settings.EMBEDDER_URL
    assert by_meaning(filled) == ("wide", 4)


def test_a_key_goes_to_its_own_address_alone(settings: Any) -> None:
    settings.EMBEDDER_URL, settings.EMBEDDER_KEY, settings.EMBEDDER_MODEL = "http://one", "key-one", "small"
    settings.EMBEDDER_NEXT_MODEL, settings.EMBEDDER_NEXT_KEY = "large", ""
    keys: list[tuple[str, str]] = []
    for url in ("", "http://two"):
        settings.EMBEDDER_NEXT_URL = url
        address = address_of("large")
        assert address is not None
        keys.append((address.url, address.key))

    assert keys == [("http://one", "key-one"), ("http://two", "")]
    assert address_of("other") is None


def test_the_command_says_what_it_does(filled: Shelf) -> None:
    def said(*args: str) -> str:
        out = StringIO()
        call_command("embedding_models", *args, stdout=out)
        return out.getvalue()

    assert "4 documents were queued" in said("start", "wide")
    assert "0 of 4 vectors (0 %)" in said()
    work_through()
    assert "building  wide: 4 of 4 vectors (100 %); 48 dimensions" in said()
    assert "wide is live" in said("switch", "wide")
    assert "toy is live" in said("rollback")
    assert "4 vectors were removed" in said("retire", "wide")
    refused: list[Callable[[], str]] = [
        lambda: said("switch"),
        lambda: said("switch", "wide"),
        lambda: said("retire", "toy"),
        lambda: said("start", "unheard-of"),
        lambda: said("rollback"),
    ]
    for refuse in refused:
        with pytest.raises(CommandError):
            refuse()
