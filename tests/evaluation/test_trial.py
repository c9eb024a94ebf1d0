"""A chunk profile, and a model on the needed documents alone, tried in a candidate index that nobody sees and that goes again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from answers import ask as walk
from documents.worker import work_through as read
from evaluation import arms, index_fill, queue, shadow, trial
from evaluation.configuration import Configuration
from evaluation.models import Run
from evaluation.worker import work_through
from portal.models import Membership, User
from portal.problems import UserProblem
from tests.answers.conftest import Ask
from tests.documents.ingest.conftest import forget_embedder
from tests.evaluation.conftest import Bench
from tests.fakes.openai_server import OpenAIServer

LONG = "# Cellar\n\n" + "\n\n".join(
    f"Shelf {n} of the cellar holds the {name} for the winter, and nobody else opens it before the first frost."
    for n, name in enumerate(("apples", "pears", "quinces", "walnuts", "medlars", "turnips", "leeks", "honey"), 1)
)


def run_shadow(*arguments: str) -> int:
    try:
        call_command("shadow", "--as", "ada@example.org", *arguments)
    except SystemExit as ended:
        return int(str(ended.code))
    return 0


def counts(bench: Bench) -> list[tuple[Any, ...]]:
    """What a candidate index adds to and has to give back."""
    tables = ("portal_collection", "documents_document", "documents_chunk", "documents_posting", "documents_blob")
    return bench.shelf.rows("SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables))


def test_a_chunk_profile_is_tried_and_nothing_of_its_index_stays(bench: Bench) -> None:
    bench.shelf.put_and_read("cellar.md", LONG)
    before = counts(bench)

    code = run_shadow("--set", "Pump", "--config", "splitter=window,max_tokens=40,overlap_tokens=0")

    runs = list(Run.objects.using("owner").order_by("pk"))
    assert code == 0
    assert [(run.name, run.state, run.done) for run in runs] == [
        ("shadow: live", "done", 3),
        ("candidate index: live", "done", 3),
        ("candidate index: splitter window, max tokens 40, overlap tokens 0", "done", 3),
    ]
    assert counts(bench) == before
    member = User.objects.using("owner").get(email__endswith=trial.HOST)
    assert not member.is_active
    assert not Membership.objects.using("owner").filter(user=member).exists()
    kept = [bench.results(run)["who"] for run in runs]
    assert {tuple(result.collection_ids) for result in kept} == {tuple(runs[0].collection_ids)}
    assert [result.outcome for result in kept] == ["answered"] * 3
    assert len({result.trace["evidence"][0] for result in kept}) == 3


def test_only_what_the_questions_need_is_copied_and_cut_anew(bench: Bench) -> None:
    bench.shelf.put_and_read("cellar.md", LONG)
    scope = bench.shelf.cast.scope(bench.shelf.cast.ada)
    live = bench.run()

    needed = trial.needed(scope, live)
    with trial.opened(scope, needed, Configuration.parse("max_tokens=40,overlap_tokens=0")) as index:
        sizes = [
            bench.shelf.rows(
                "SELECT d.name, d.chunk_count FROM documents_document d WHERE collection_id = ANY (%s) ORDER BY 1",
                list(ids),
            )
            for ids in (index.live, index.candidate)
        ]

    assert [document.name for document in needed] == ["pump.md"] or {d.name for d in needed} == {"pump.md", "cellar.md"}
    assert index.documents == len(needed)
    assert [name for name, _ in sizes[0]] == [name for name, _ in sizes[1]]
    assert sum(count for _, count in sizes[1]) > sum(count for _, count in sizes[0])


def test_nobody_finds_the_copies_while_they_are_there(bench: Bench, ask: Ask) -> None:
    cast = bench.shelf.cast
    scope = cast.scope(cast.ada)
    live = bench.run()

    with trial.opened(scope, trial.needed(scope, live), Configuration.parse("max_tokens=64,overlap_tokens=0")) as index:
        seen = {pk for person in (cast.ada, cast.ben, cast.dot, cast.root) for pk in cast.scope(person).collection_ids}
        with pytest.raises(UserProblem, match=r"evaluation\.index_busy"), trial.opened(scope, [], Configuration()):
            pass
        passages = [event for event in ask("Who may open the motor housing?") if isinstance(event, walk.Stage)]

    assert seen.isdisjoint({*index.live, *index.candidate})
    assert max(stage.count for stage in passages) <= 2


def test_what_a_killed_process_left_is_removed_by_the_next_start(bench: Bench) -> None:
    scope = bench.shelf.cast.scope(bench.shelf.cast.ada)
    before = counts(bench)
    documents = trial.needed(scope, bench.run())
    trial.made(scope, bench.shelf.cast.north, documents, Configuration.parse("max_tokens=64"))  # and killed here
    read()

    assert counts(bench) != before
    assert trial.drop_left(older_than=timedelta(hours=1)) == 0
    call_command("shadow", "--clean")

    assert counts(bench) == before


def test_a_run_that_needs_an_index_is_not_for_pages_or_workers(bench: Bench) -> None:
    scope = bench.shelf.cast.scope(bench.shelf.cast.ada)
    with pytest.raises(UserProblem, match=r"evaluation\.needs_index"):
        bench.start("max_tokens=64")
    held = queue.start(scope, bench.golden_set, Configuration.parse("max_tokens=64"), is_held=True)

    assert work_through() == 0
    Run.objects.using("owner").filter(pk=held.pk).update(lease_until=held.started_at)
    work_through()

    again = bench.again(held)
    assert (again.state, again.problem, again.done) == ("failed", "evaluation.index_gone", 0)


def test_another_model_is_filled_for_the_needed_documents_alone(bench: Bench, settings: Any) -> None:
    bench.shelf.put_and_read("cellar.md", LONG)
    with OpenAIServer(dims=48) as wide:
        settings.EMBEDDER_NEXT_URL, settings.EMBEDDER_NEXT_MODEL, settings.EMBEDDER_NEXT_KEY = wide.url, "wide", ""
        forget_embedder(walk.question_embedder)
        code = run_shadow("--set", "Pump", "--config", "embedding_model=wide,pooled=on")
        forget_embedder(walk.question_embedder)
        read()

    last = Run.objects.using("owner").latest("pk")
    assert code in (0, 1)
    assert (last.state, last.embedding_model, last.done) == ("done", "wide", 3)
    assert bench.shelf.rows("SELECT state FROM documents_embeddingmodel WHERE name = 'wide'") == [("retired",)]
    assert bench.shelf.rows(
        "SELECT count(*) FROM documents_chunkvector v JOIN documents_embeddingmodel m"
        " ON m.id = v.model_id WHERE m.name = 'wide'"
    ) == [(0,)]
    assert any(request.headers.get("x-priority") != "questions" for request in wide.requests)


def test_a_model_that_nobody_serves_is_refused_before_anything_is_copied(bench: Bench) -> None:
    before = counts(bench)

    with pytest.raises(CommandError, match="names no embedder of nowhere"):
        run_shadow("--set", "Pump", "--config", "embedding_model=nowhere,pooled=on")

    assert counts(bench) == before
    assert not index_fill.begin("")


@pytest.mark.parametrize(
    "config", ["max_tokens=12", "max_tokens=9000", "splitter=axe", "overlap_tokens=250", "ranker=x"]
)
def test_a_profile_that_no_collection_could_have_is_refused(config: str) -> None:
    with pytest.raises(UserProblem, match=r"evaluation\.configuration"):
        Configuration.parse(config)


def test_what_is_as_it_is_live_is_no_candidate(bench: Bench) -> None:
    with pytest.raises(CommandError, match="The candidate is what is live"):
        run_shadow("--set", "Pump", "--config", "k=8")


def test_a_form_reads_no_file_of_the_server(tmp_path: Any) -> None:
    path = tmp_path / "c.json"
    path.write_text('{"k": 12, "writer": "model", "prompt": "Say it."}')
    told = tmp_path / "told.txt"
    told.write_text("Answer in one word. {nonce}")

    with pytest.raises(UserProblem):
        Configuration.parse(str(path))
    assert Configuration.of_operator(str(path)) == Configuration(k=12, writer="model", prompt="Say it.")
    assert Configuration.of_operator(f"writer=model,prompt=@{told}").prompt == "Answer in one word. {nonce}"
    assert Configuration.parse(f"writer=model,prompt=@{told}").prompt == f"@{told}"


def test_both_arms_are_compared_question_by_question(bench: Bench) -> None:
    scope = bench.shelf.cast.scope(bench.shelf.cast.ada)
    said: list[str] = []
    live = bench.run()

    found = arms.over_index(scope, bench.golden_set, live, Configuration.parse("splitter=whole"), say=said.append)

    compared = shadow.compared(scope, found)
    assert [pair.key for pair in compared.pairs] == ["code", "off", "who"]
    assert said == [f"candidate index: {len(trial.needed(scope, live))} documents"]


def test_a_run_that_somebody_stops_ends_the_command_and_its_index(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = bench.shelf.cast.scope(bench.shelf.cast.ada)
    before = counts(bench)
    filled = index_fill.work

    def stop_then(*given: Any) -> None:
        filled(*given)
        monkeypatch.setattr(queue, "extend", lambda claimed, scope: stop())

    def stop() -> None:
        queue.cancel(scope, Run.objects.using("owner").latest("pk"))

    monkeypatch.setattr(index_fill, "work", stop_then)

    assert run_shadow("--set", "Pump", "--config", "max_tokens=64") == 2
    assert "stopped before its end" in capsys.readouterr().err
    assert counts(bench) == before
