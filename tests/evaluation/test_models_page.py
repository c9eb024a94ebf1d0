"""The operator's page of the embedding models: progress, comparison, the switch and the way back, without the owner's rights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse

from answers import ask as walk
from documents import model_page
from documents.embedders import live_name
from documents.model_switch import CannotSwitch
from documents.models import CollectionStats, EmbeddingModel
from documents.worker import work_through as read
from evaluation.worker import work_through
from portal.models import AuditEvent, User
from portal.scope import principal
from tests.documents.ingest.conftest import forget_embedder
from tests.documents.making import signed_in
from tests.evaluation.conftest import Bench
from tests.fakes.openai_server import OpenAIServer

PAGE = "admin:documents_embeddingmodel_changelist"


@pytest.fixture
def wide(settings: Any, embedder: OpenAIServer) -> Iterator[OpenAIServer]:
    with OpenAIServer(dims=48) as server:
        settings.EMBEDDER_NEXT_URL, settings.EMBEDDER_NEXT_MODEL, settings.EMBEDDER_NEXT_KEY = server.url, "wide", ""
        forget_embedder(walk.question_embedder)
        yield server
        forget_embedder(walk.question_embedder)


@pytest.fixture
def root(bench: Bench, wide: OpenAIServer) -> Client:
    """Signed in as the operator, who is a member beside ada."""
    return signed_in(bench.shelf.cast.root)


def press(client: Client, action: str, **fields: str) -> str:
    """The page after a button was pressed."""
    answer = client.post(reverse(PAGE), {"action": action, **fields}, follow=True)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def states() -> dict[str, str]:
    return dict(EmbeddingModel.objects.using("owner").values_list("name", "state"))


def filled(root: Client) -> None:
    press(root, "start", model="wide")
    read()


def test_an_operator_fills_switches_and_rolls_back(bench: Bench, root: Client) -> None:
    before = root.get(reverse(PAGE)).content.decode()
    assert "Fill it beside the live one" in before

    said = press(root, "start", model="wide")
    assert "Queued: 1 documents" in said
    assert ">0 %<" in said or "0 of 1" in said
    read()
    assert "100 %" in root.get(reverse(PAGE)).content.decode()

    said = press(root, "switch", model="wide")
    assert "Live now: wide" in said, said[said.find("messagelist") : said.find("messagelist") + 400]
    assert states() == {"toy": "building", "wide": "live"}
    assert live_name() == "wide"
    assert "Roll back to toy" in root.get(reverse(PAGE)).content.decode()

    assert "Live now: toy" in press(root, "rollback")
    assert states() == {"toy": "live", "wide": "building"}
    audit = AuditEvent.objects.using("owner").filter(action__startswith="model.").order_by("pk")
    assert [(row.action, row.detail["model"]) for row in audit] == [
        ("model.started", "wide"),
        ("model.switched", "wide"),
        ("model.switched", "toy"),
    ]


def test_the_switch_recounts_and_raises_every_epoch(bench: Bench, root: Client) -> None:
    filled(root)
    epochs = dict(CollectionStats.objects.using("owner").values_list("pk", "epoch"))

    press(root, "switch", model="wide")

    assert dict(CollectionStats.objects.using("owner").values_list("pk", "epoch")) == {
        pk: epoch + 1 for pk, epoch in epochs.items()
    }
    assert bench.shelf.rows("SELECT state, vector_count FROM documents_document") == [("ready", 1)]


def test_an_incomplete_model_is_switched_to_on_purpose_alone(bench: Bench, root: Client) -> None:
    press(root, "start", model="wide")

    said = press(root, "switch", model="wide")
    assert "still lacks vectors" in said
    assert states()["toy"] == "live"

    press(root, "switch", model="wide", force="1")
    assert states()["wide"] == "live"
    assert bench.shelf.rows("SELECT state FROM documents_document") == [("words",)]
    read()
    assert bench.shelf.rows("SELECT state, vector_count FROM documents_document") == [("ready", 1)]


def test_the_comparison_starts_two_runs_and_leads_to_what_changed(bench: Bench, root: Client) -> None:
    filled(root)

    said = press(root, "compare", model="wide", set=bench.golden_set.ref)
    assert "Both models answer the 3 questions of Pump now" in said
    assert "0 of 6 questions asked" in said
    work_through()
    page = root.get(reverse(PAGE)).content.decode()
    url = page.split('href="/evaluation/compare/')[1].split('"')[0].replace("&amp;", "&")
    compared = root.get(f"/evaluation/compare/{url}")

    assert compared.status_code == 200
    assert "embedding model wide" in compared.content.decode()
    assert "Nobody has offered a question" in press(root, "compare", model="wide", set="offered")
    assert states()["toy"] == "live"


@pytest.mark.parametrize("action", ["start", "switch", "rollback", "compare", "", "nonsense"])
def test_bad_names_change_nothing_and_are_said(bench: Bench, root: Client, action: str) -> None:
    before = states()

    press(root, action, model="'; DROP TABLE x; --" * 30, set="nowhere")

    assert states() == before


@pytest.mark.parametrize("who", ["ada", "cy"])
def test_a_member_who_is_no_operator_can_do_none_of_it(bench: Bench, wide: OpenAIServer, who: str) -> None:
    """The page is closed, and the functions behind it give nothing, whatever SQL reaches them."""
    user: User = getattr(bench.shelf.cast, who)
    client = signed_in(user)
    scope = bench.shelf.cast.scope(user)

    assert client.get(reverse(PAGE)).status_code in (302, 404)
    assert client.post(reverse(PAGE), {"action": "start", "model": "wide"}).status_code in (302, 404)
    with principal(scope):
        assert model_page.progress(scope) == []
        for attempt in (model_page.start, model_page.switch):
            with pytest.raises(CannotSwitch, match="Only an operator"):
                attempt(scope, "wide")
    assert states() == {"toy": "live"}


@pytest.mark.parametrize("alias", ["serve", "ingest"])
def test_other_roles_may_not_call_them(bench: Bench, alias: str) -> None:
    for call in ("embedding_progress()", "switch_embedding_model('toy', true)", "queue_beside(1)", "ctx_is_operator()"):
        with pytest.raises(Exception, match="permission denied"), connections[alias].cursor() as cursor:
            cursor.execute(f"SELECT footnote.{call}")


def test_without_a_context_nothing_comes_back(bench: Bench) -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT footnote.switch_embedding_model('toy', true)")
        assert cursor.fetchone() == ("refused",)
        cursor.execute("SELECT count(*) FROM footnote.embedding_progress()")
        assert cursor.fetchone() == (0,)
        cursor.execute("SELECT footnote.fill_embedding_model('x', 3, '{}')")
        assert cursor.fetchone() == (None,)
    with pytest.raises(Exception, match="permission denied"), connections["default"].cursor() as cursor:
        cursor.execute("SELECT footnote.queue_beside(1)")
