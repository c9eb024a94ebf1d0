from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from documents import lifecycle
from documents.models import Document
from evaluation.golden import store
from evaluation.golden.item import GoldPassage, Item
from evaluation.models import Feedback, GoldenQuestion, GoldenSet, Run
from evaluation.urls import urlpatterns
from evaluation.worker import work_through
from portal.models import User
from portal.scope import principal
from tests.answers.conftest import answer_of
from tests.conftest import PASSWORD, Cast
from tests.documents.ingest.conftest import Shelf
from tests.evaluation.conftest import Bench


def signed_in(user: User) -> Client:
    client = Client()
    assert client.post("/sign-in/", {"email": user.email, "password": PASSWORD}).status_code == 302
    return client


def soup(response: Any) -> BeautifulSoup:
    page = BeautifulSoup(response.content, "html.parser")
    assert not page.find_all(style=True)
    assert not page.find_all("style")
    assert all(script.get("src") for script in page.find_all("script"))
    assert len(page.find_all("h1")) == 1
    ids = [tag["id"] for tag in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert all(form.find("button", type="submit") for form in page.find_all("form"))
    return page


def test_an_empty_workspace_says_what_comes_next(cast: Cast) -> None:
    page = soup(signed_in(cast.ada).get("/evaluation/"))
    readers = soup(signed_in(cast.dot).get("/evaluation/"))

    assert "No golden set yet" in page.get_text()
    assert page.select_one(f"form[action='{reverse('golden_set_sample')}']")
    assert not readers.select("main form")


def test_a_member_makes_a_set_runs_it_and_reads_what_came_of_it(bench: Bench) -> None:
    client = signed_in(bench.shelf.cast.ben)
    made = client.post("/evaluation/sets/", {"name": "Filters"})
    question = {
        "question": "How often is the inlet filter cleaned?",
        "expects": "answer",
        "key_facts": "monthly",
        "gold": "pump.md: cleaned monthly",
    }

    added = client.post(f"{made.url}questions/", question)  # type: ignore[attr-defined]
    started = client.post(f"{made.url}run/", {"name": "First", "config": "k=4"})  # type: ignore[attr-defined]
    work_through()

    assert (made.status_code, added.status_code, started.status_code) == (302, 302, 302)
    page = soup(client.get(started.url + "?show=all"))  # type: ignore[attr-defined]
    assert "First" in page.h1.get_text()  # type: ignore[union-attr]
    assert "k 4" in page.get_text()
    line = page.select_one("a[href*='/questions/']")
    assert line is not None
    detail = soup(client.get(str(line["href"])))
    assert "cleaned monthly" in detail.get_text()
    assert "gold passage" in detail.get_text()


def test_a_picture_has_a_table_that_says_the_same(bench: Bench) -> None:
    client = signed_in(bench.shelf.cast.ada)
    runs = [bench.run(), bench.run("threshold_scale=2")]

    overview, page = soup(client.get("/evaluation/")), soup(client.get(reverse("evaluation_run", args=[runs[0].ref])))

    for chart in (*overview.select(".chart"), *page.select(".chart")):
        assert chart.svg and chart.svg["role"] == "img" and chart.svg["aria-label"]
        assert len(chart.select("tbody tr")) >= len(chart.select("circle"))
    assert overview.select_one("#chart-trend")
    assert page.select_one("#chart-latency")


def test_two_runs_are_compared_with_the_stage_that_lost_each_question(bench: Bench) -> None:
    client = signed_in(bench.shelf.cast.dot)
    before, after = bench.run(), bench.run("threshold_scale=2")

    page = soup(client.get("/evaluation/compare/", {"baseline": before.ref, "candidate": after.ref}))

    assert "declined although its passage was given" in page.get_text()
    assert "Who may open the motor housing?" in page.get_text()


def test_a_run_shows_its_progress_and_can_be_stopped(bench: Bench) -> None:
    client = signed_in(bench.shelf.cast.ada)
    run = bench.start()
    url = reverse("evaluation_run", args=[run.ref])

    head = client.get(url, headers={"HX-Request": "true"})
    stopped = client.post(f"{url}stop/")

    assert BeautifulSoup(head.content, "html.parser").find()["hx-trigger"] == "every 2s"  # type: ignore[index]
    assert (stopped.status_code, bench.again(run).state) == (302, "cancelled")
    assert b"hx-trigger" not in client.get(url, headers={"HX-Request": "true"}).content


@pytest.mark.parametrize(("kind", "starts"), [("md", "# Pump"), ("xml", "<?xml"), ("html", "<!DOCTYPE html>")])
def test_a_report_is_downloaded(bench: Bench, kind: str, starts: str) -> None:
    run = bench.run()

    response = signed_in(bench.shelf.cast.dot).get(reverse("evaluation_report", args=[run.ref, kind]))

    assert response.content.decode().lstrip().startswith(starts)
    assert "attachment" in response["Content-Disposition"]


def test_a_set_is_exported_and_imported(bench: Bench) -> None:
    client = signed_in(bench.shelf.cast.ada)
    made = client.post("/evaluation/sets/", {"name": "Copy"})
    data = client.get(reverse("golden_set_export", args=[bench.golden_set.ref, "csv"])).content

    sent = io.BytesIO(data)
    sent.name = "copy.csv"
    client.post(f"{made.url}import/", {"file": sent})  # type: ignore[attr-defined]
    bad = io.BytesIO(b"nonsense")
    bad.name = "bad.jsonl"
    refused = client.post(f"{made.url}import/", {"file": bad})  # type: ignore[attr-defined]

    copy = GoldenSet.objects.using("owner").get(name="Copy")
    assert copy.questions.using("owner").count() == 3
    assert refused.status_code == 422
    assert b"Line 1 is not JSON" in refused.content


def test_drafts_wait_for_review(bench: Bench) -> None:
    client = signed_in(bench.shelf.cast.ada)
    url = reverse("golden_set", args=[bench.golden_set.ref])

    client.post(f"{url}draft/", {"document": "pump.md"})
    page = soup(client.get(url))
    refs = [str(box["value"]) for box in page.select("#drafts [name=question]")]
    client.post(f"{url}approve/", {"question": refs})

    assert refs
    assert not soup(client.get(url)).select("#drafts")


def test_a_question_is_changed_as_a_new_version_and_taken_out(bench: Bench) -> None:
    client = signed_in(bench.shelf.cast.ada)
    row = GoldenQuestion.objects.using("owner").get(key="who")
    url = reverse("golden_question", args=[row.ref])

    client.post(url, {"question": "Who opens it?", "expects": "decline"})
    newer = GoldenQuestion.objects.using("owner").get(key="who", until_version__isnull=True)
    client.post(reverse("golden_question", args=[newer.ref]), {"remove": "1"})

    assert (newer.text, newer.since_version) == ("Who opens it?", 2)
    scope = bench.shelf.cast.scope(bench.shelf.cast.ada)
    with principal(scope):
        versions = [store.questions_of(scope, bench.golden_set.pk, version) for version in (1, 3)]
        kept = [[row.key for row in rows] for rows in versions]
    assert kept == [["who", "code", "off"], ["code", "off"]]


def test_a_thumbs_down_becomes_a_golden_question(shelf: Shelf, ask: Callable[..., Any]) -> None:
    cast = shelf.cast
    answer = answer_of(shelf, ask("How often is the inlet filter cleaned?", cast.dot), cast.dot)
    reader, editor = signed_in(cast.dot), signed_in(cast.ben)
    url = reverse("answer_feedback", args=[answer.ref])

    form = soup(reader.get(url))
    sent = reader.post(
        url, {"kind": "down", "reason": "missed", "passage": "1", "quote": "cleaned monthly", "comment": "It is there"}
    )
    queue = soup(editor.get("/evaluation/feedback/"))
    given = Feedback.objects.using("owner").get()
    editor.post(reverse("feedback_settle", args=[given.ref]), {"do": "take"})

    assert form.select("[data-passage]")
    assert (sent.status_code, sent["Location"]) == (302, reverse("answer", args=[answer.ref]))
    assert "cleaned monthly" in queue.get_text()
    draft = GoldenQuestion.objects.using("owner").get()
    assert (draft.since_version, draft.gold) == (None, [{"document": "pump.md", "quote": "cleaned monthly"}])
    assert reader.post(reverse("feedback_settle", args=[given.ref]), {"do": "dismiss"}).status_code == 403


def test_words_that_stand_nowhere_are_not_a_right_passage(shelf: Shelf, ask: Callable[..., Any]) -> None:
    answer = answer_of(shelf, ask("How often is the inlet filter cleaned?"))
    url = reverse("answer_feedback", args=[answer.ref])

    refused = signed_in(shelf.cast.ada).post(url, {"kind": "down", "passage": "1", "quote": "cleaned daily"})

    assert refused.status_code == 422
    assert not Feedback.objects.using("owner").exists()


def test_deleting_a_document_takes_its_words_from_results_and_feedback(bench: Bench) -> None:
    cast = bench.shelf.cast
    run = bench.run()
    question = bench.results(run)["who"].question
    client = signed_in(cast.ada)
    url = reverse("evaluation_result", args=[run.ref, question.ref])
    before = client.get(url).content

    scope = cast.scope(cast.ada)
    with principal(scope):
        lifecycle.delete(scope, Document.objects.visible_to(scope).get(name="pump.md"))

    assert b"Only a trained technician may open" in before
    assert b"trained technician" not in client.get(url).content
    assert b"trained technician" not in client.get(reverse("golden_question", args=[question.ref])).content


def test_every_page_is_closed_to_whom_it_does_not_belong(bench: Bench) -> None:
    """Each route with each ref: nobody is led to the sign-in, another workspace's owner finds nothing of ours."""
    cast = bench.shelf.cast
    secret = bench.shelf.put_and_read(
        "s.md", "# S\n\nThe canary sings at noon.\n", user=cast.ada, collection=cast.private(cast.ada)
    )
    bench.add(Item("canary", "When does the canary sing?", gold=(GoldPassage("s.md", "canary sings"),)))
    run = bench.run(collection_ids=[secret.collection_id])
    question = GoldenQuestion.objects.using("owner").get(key="canary")
    refs = {"ref": run.ref, "question": question.ref, "kind": "md"}
    stranger, fellow, nobody = signed_in(cast.cy), signed_in(cast.ben), Client()
    tried = 0

    for pattern in urlpatterns:
        names = re.findall(r"<str:(\w+)>", str(pattern.pattern))
        for ref in (run.ref, bench.golden_set.ref, question.ref) if names else (None,):
            kwargs = {name: ref if name == "ref" else refs[name] for name in names}
            url = reverse(str(pattern.name), kwargs=kwargs) + (
                f"?baseline={run.ref}&candidate={run.ref}" if pattern.name == "evaluation_compare" else ""
            )
            for method in ("get", "post"):
                closed, foreign, shared = (
                    getattr(client, method)(url, {"name": "x"} if method == "post" else None)
                    for client in (nobody, stranger, fellow)
                )
                tried += 3
                assert closed.status_code in (302, 405), url
                assert not closed.has_header("Location") or closed["Location"].startswith("/sign-in/"), url
                for text in (foreign.content, shared.content):
                    assert b"canary" not in text, url
                assert b"Pump" not in foreign.content, url
                if names:
                    assert foreign.status_code in (404, 405), (url, foreign.status_code)
    assert tried >= 200
    assert (
        Run.objects.using("owner").count()
        == 1 + Run.objects.using("owner").exclude(pk=run.pk).filter(user=cast.ben).count()
    )


def test_the_overview_reads_as_much_for_many_sets_as_for_one(bench: Bench) -> None:
    client = signed_in(bench.shelf.cast.ada)
    scope = bench.shelf.cast.scope(bench.shelf.cast.ada)
    bench.run()
    client.get("/evaluation/")  # the session learns its workspace with the first page

    with CaptureQueriesContext(connections["default"]) as one:
        client.get("/evaluation/")
    for number in range(5):
        store.open_set(scope, f"Set {number}")
    bench.start()
    with CaptureQueriesContext(connections["default"]) as many:
        page = client.get("/evaluation/")

    assert b"Set 4" in page.content
    assert len(many) == len(one)
