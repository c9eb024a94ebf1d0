from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from documents import demo as documents_demo
from documents.models import Document
from documents.worker import work_through as read
from evaluation import demo, feedback, shadow
from evaluation.models import Feedback, GoldenSet, Result, Run
from portal.models import User, Workspace
from portal.people import add_person, add_workspace
from portal.scope import principal
from tests.answers.conftest import answer_of
from tests.conftest import PASSWORD
from tests.documents.ingest.conftest import Shelf
from tests.evaluation.conftest import Bench


def run_shadow(*arguments: str) -> int:
    try:
        call_command("shadow", "--as", "ada@example.org", *arguments)
    except SystemExit as ended:
        return int(str(ended.code))
    return 0


def test_a_candidate_runs_beside_the_live_configuration(bench: Bench) -> None:
    assert run_shadow("--set", "Pump", "--config", "k=7") == 0

    runs = Run.objects.using("owner").order_by("pk")
    assert [(run.name, run.configuration) for run in runs] == [("shadow: live", {}), ("shadow: k 7", {"k": 7})]


def test_questions_are_tried_only_when_their_asker_offered_them(bench: Bench, ask: Callable[..., Any]) -> None:
    cast = bench.shelf.cast
    answers = [
        answer_of(bench.shelf, ask(text, cast.dot), cast.dot)
        for text in ("What does E4304 mean?", "Who may open the housing?")
    ]
    scope = cast.scope(cast.dot)
    with pytest.raises(CommandError, match="Nobody has offered"):
        run_shadow("--config", "k=7")

    feedback.give(scope, answers[0], feedback.Said("offer"))
    feedback.give(scope, answers[1], feedback.Said("up"))

    assert run_shadow("--config", "k=7") == 0
    asked = set(Result.objects.using("owner").values_list("question__text", flat=True))
    assert asked == {"What does E4304 mean?"}
    assert GoldenSet.objects.using("owner").get(name=shadow.OFFERED).version == 1


def test_saying_it_again_replaces_what_was_said(shelf: Shelf, ask: Callable[..., Any]) -> None:
    answer = answer_of(shelf, ask("What does E4304 mean?"))
    scope = shelf.cast.scope(shelf.cast.ada)

    first = feedback.give(scope, answer, feedback.Said("up"))
    second = feedback.give(scope, answer, feedback.Said("down", "wrong"))

    assert first.pk == second.pk
    assert Feedback.objects.using("owner").get().kind == "down"


def test_the_admin_action_starts_a_run_in_the_own_scope(bench: Bench) -> None:
    client = Client()
    client.post("/sign-in/", {"email": "root@example.org", "password": PASSWORD})

    listed = client.get(reverse("admin:evaluation_goldenset_changelist"))
    started = client.post(
        reverse("admin:evaluation_goldenset_changelist"),
        {"action": "run_as_it_is_live", "_selected_action": [bench.golden_set.pk]},
    )

    run = Run.objects.using("owner").get()
    assert (listed.status_code, started.status_code) == (200, 302)
    assert (run.user_id, run.total) == (bench.shelf.cast.root.pk, 3)
    assert client.get(reverse("admin:evaluation_run_changelist")).status_code == 200
    assert client.get(reverse("admin:evaluation_run_change", args=[run.pk])).status_code == 200


def test_the_demo_is_dropped_and_built_again_and_nothing_else(shelf: Shelf, tmp_path: Any, settings: Any) -> None:
    settings.STATE_DIR = tmp_path
    demo.build()
    read()
    user = User.objects.using("owner").get(email=documents_demo.EMAIL)
    old = Workspace.objects.using("owner").get(name="Demo")
    shelf.put_and_read("mine.md", "# Mine\n\nIt stays where it is.\n")
    add_workspace("Other", owner=add_person("other@example.org"))

    call_command("reset_demo", "--yes")
    read()

    new = Workspace.objects.using("owner").get(name="Demo")
    assert new.pk != old.pk
    assert not Document.objects.using("owner").filter(workspace_id=old.pk).exists()
    assert set(Document.objects.using("owner").filter(workspace=new).values_list("state", flat=True)) == {"ready"}
    assert GoldenSet.objects.using("owner").filter(workspace=new).count() == 1
    assert (
        shelf.document(shelf.rows("SELECT ref FROM documents_document WHERE name = 'mine.md'")[0][0]).state == "ready"
    )
    assert User.objects.using("owner").get(email=documents_demo.EMAIL).pk == user.pk


def test_a_shadow_shows_which_question_it_would_lose(bench: Bench) -> None:
    scope = bench.shelf.cast.scope(bench.shelf.cast.ada)
    assert run_shadow("--set", "Pump", "--config", "threshold_scale=2") == 0
    with principal(scope):
        live, tried = Run.objects.visible_to(scope).order_by("pk")

    # One question of three is no evidence, and it is named all the same.
    found = shadow.compared(scope, shadow.Shadow(live, tried))

    assert [pair.went for pair in found.pairs] == ["same", "same", "worse"]
