"""Many at once: uploads, retries, cancels, deletions and workers on the same documents, compared with what must be true."""

from __future__ import annotations

import contextlib
import io
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from documents import lifecycle, queue, requeue
from documents.models import Document
from documents.upload import Accepted, Duplicate, Outcome, accept
from documents.worker import work_through
from portal.models import Collection
from portal.problems import UserProblem
from portal.scope import principal
from tests.documents.ingest.conftest import Shelf
from tests.documents.ingest.test_faults import statistics_are_true, work_and_leave, work_until_nothing_waits
from tests.documents.ingest.test_ingest import GUIDE


def at_once(tasks: list[Callable[[], Outcome]]) -> list[Outcome]:
    """Start them together, each in a thread that leaves no connection behind."""
    start = threading.Barrier(len(tasks))

    def one(task: Callable[[], Outcome]) -> Outcome:
        start.wait()
        try:
            return task()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(one, tasks))


def upload(shelf: Shelf, name: str, text: str, place: Collection | None = None) -> Outcome:
    cast = shelf.cast
    data = text.encode()
    into = place or cast.shared(cast.north)
    return accept(cast.scope(cast.ada), into.pk, name=name, file=io.BytesIO(data), size_bytes=len(data))


def test_the_same_file_twenty_times_at_once_is_one_document(shelf: Shelf) -> None:
    outcomes = at_once([lambda: upload(shelf, "pump.md", GUIDE)] * 20)
    work_through()

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Accepted"] + ["Duplicate"] * 19
    assert shelf.rows("SELECT state, name FROM documents_document") == [("ready", "pump.md")]
    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(1,)]
    assert statistics_are_true(shelf)


def test_other_bytes_under_one_name_at_once_are_versions_of_one_document(shelf: Shelf) -> None:
    texts = [f"{GUIDE}\nEdition {number}.\n" for number in range(8)]

    outcomes = at_once([lambda text=text: upload(shelf, "pump.md", text) for text in texts])  # type: ignore[misc]
    work_through()

    assert sorted(outcome.number for outcome in outcomes if isinstance(outcome, Accepted)) == list(range(1, 9))
    assert shelf.rows("SELECT state FROM documents_document") == [("ready",)]
    assert shelf.rows("SELECT number FROM documents_version WHERE valid_to IS NULL AND valid_from IS NOT NULL") == [
        (8,)
    ]
    assert statistics_are_true(shelf)


def test_the_same_bytes_under_many_names_at_once_are_one_blob(shelf: Shelf) -> None:
    names = [f"{number}.md" for number in range(8)]

    outcomes = at_once([lambda name=name: upload(shelf, name, GUIDE) for name in names])  # type: ignore[misc]
    work_through()

    assert {type(outcome) for outcome in outcomes} == {Accepted}
    assert shelf.rows("SELECT count(*), count(DISTINCT state) FROM documents_document") == [(8, 1)]
    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(1,)]


def test_bytes_uploaded_again_while_their_last_document_is_removed_are_kept(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    document = shelf.put_and_read("0.md", GUIDE)
    for number in range(1, 7):
        with principal(scope):
            lifecycle.delete(scope, document)
        worker = threading.Thread(target=work_and_leave)
        worker.start()
        outcome = upload(shelf, f"{number}.md", GUIDE)
        worker.join()
        work_until_nothing_waits(shelf)
        assert isinstance(outcome, Accepted)
        document = shelf.document(outcome.document_ref)
        assert document.state == "ready"
    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(1,)]


STEPS = 1000
ACTS = {
    "upload": 60,
    "delete": 20,
    "retry": 15,
    "cancel": 15,
    "move": 15,
    "disable": 10,
    "enable": 8,
    "kill": 2,
    "restart": 3,
}


class History:
    """Random steps on a few names; `newest` is what the last accepted upload of a name holds, or None when it is deleted, `place`
    the collection it is in, `off` the names that are switched off.
    """

    def __init__(self, shelf: Shelf, seed: int, *, one_order: bool) -> None:
        self.shelf = shelf
        self.random = random.Random(seed)
        self.scope = shelf.cast.scope(shelf.cast.ada)
        self.newest: dict[str, str | None] = {}
        self.places = [shelf.cast.shared(shelf.cast.north), shelf.cast.private(shelf.cast.ada)]
        self.place: dict[str, Collection] = {}
        self.off: set[str] = set()
        self.names = [f"{number}.md" for number in range(5)]
        # The model needs one order of the steps on each name. Without it they collide, and only what always holds is compared.
        self.locks = {name: threading.Lock() if one_order else contextlib.nullcontext() for name in self.names}
        self.left = STEPS
        self.dice = threading.Lock()

    def steps(self) -> Iterator[tuple[str, str, int]]:
        while True:
            with self.dice:
                if not self.left:
                    return
                self.left -= 1
                act = self.random.choices(list(ACTS), list(ACTS.values()))[0]
                yield act, self.random.choice(self.names), self.random.randrange(12)

    def run(self) -> None:
        try:
            for act, name, dice in self.steps():
                with self.locks[name]:
                    self.step(act, name, dice)
        finally:
            connections.close_all()

    def step(self, act: str, name: str, dice: int) -> None:
        if act == "upload":
            text = "# Plant\n\n" + "\n\n".join(
                f"## Part {n}\n\n{f'Valve {n} is opened slowly. ' * 40}" for n in range(dice + 1)
            )
            place = self.place.setdefault(name, self.places[0])
            assert isinstance(upload(self.shelf, name, text, place), Accepted | Duplicate)
            self.newest[name] = text
            return
        if act in ("kill", "restart"):
            kill(self.shelf) if act == "kill" else restart()
            return
        with self.tolerated(), principal(self.scope):
            found = Document.objects.visible_to(self.scope).filter(name=name, deleted_at__isnull=True).first()
            if found is None:
                return
            if act == "retry":
                lifecycle.read_again(self.scope, found)
            elif act == "cancel":
                lifecycle.cancel(self.scope, found)
            elif act == "move":
                place = self.places[dice % 2]
                lifecycle.move(self.scope, found, place)
                self.place[name] = place
            elif act == "disable":
                lifecycle.disable(self.scope, found)
                self.off.add(name)
            elif act == "enable":
                lifecycle.enable(self.scope, found)
                self.off.discard(name)
            else:
                lifecycle.delete(self.scope, found)
                self.newest[name] = None
                self.place.pop(name, None)
                self.off.discard(name)

    @contextlib.contextmanager
    def tolerated(self) -> Iterator[None]:
        try:
            yield
        except UserProblem as problem:
            # Without one order another step may have taken the document, or put one of its name where it was to go.
            if problem.code not in ("portal.not_found", "documents.name_taken"):
                raise


def kill(shelf: Shelf) -> None:
    """As if every worker had died: what runs is lost, and the dead go on writing until their fence stops them."""
    shelf.rows(
        "UPDATE documents_ingestjob SET lease_until = now() - interval '1 second' WHERE state = 'running' RETURNING id"
    )


def restart() -> None:
    """As if the workers were told to end and others began."""
    requeue.hand_back_all()
    queue.HELD.open()


def statistics_by_collection(shelf: Shelf) -> bool:
    """Each collection's counts are those of its own documents' live versions."""
    said = shelf.rows("SELECT collection_id, chunk_count, term_count FROM documents_collectionstats")
    true = shelf.rows(
        "SELECT s.collection_id, count(c.id), coalesce(sum(c.term_count), 0) FROM documents_collectionstats s"
        " LEFT JOIN documents_document d ON d.collection_id = s.collection_id AND d.deleted_at IS NULL"
        " LEFT JOIN documents_chunk c ON c.version_id = d.live_version_id GROUP BY s.collection_id"
    )
    return sorted(said) == sorted(true)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "one_order"), [(1, True), (2, True), (3, False)])
def test_a_random_history_from_six_threads_ends_as_the_model_says(shelf: Shelf, seed: int, one_order: bool) -> None:
    history = History(shelf, seed, one_order=one_order)
    over = threading.Event()

    def work() -> None:
        try:
            while not over.is_set():
                if not work_through():
                    over.wait(0.05)
        finally:
            connections.close_all()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    with ThreadPoolExecutor(6) as pool:
        for ended in [pool.submit(history.run) for _ in range(6)]:
            ended.result()
    over.set()
    for worker in workers:
        worker.join()
    work_until_nothing_waits(shelf)

    kept = {name for name, text in history.newest.items() if text is not None}
    rows = shelf.rows(
        "SELECT name, state, problem, collection_id, disabled_at IS NOT NULL FROM documents_document WHERE deleted_at IS NULL"
    )
    assert len({(name, place) for name, _, _, place, _ in rows}) == len(rows)
    if one_order:
        assert {name for name, *_ in rows} == kept
        assert {name: place for name, _, _, place, _ in rows} == {name: history.place[name].pk for name in kept}
        assert {name for name, *_, is_off in rows if is_off} == history.off
    ends = {("ready", ""), ("attention", "documents.cancelled"), ("attention", "documents.worker_lost")}
    assert {(state, problem) for _, state, problem, *_ in rows} <= ends
    assert statistics_by_collection(shelf)
    assert statistics_are_true(shelf)
    not_live = "LEFT JOIN documents_document d ON d.live_version_id = c.version_id WHERE d.id IS NULL"
    nothing = (
        f"SELECT v.id FROM documents_chunkvector v JOIN documents_chunk c ON c.id = v.chunk_id {not_live}",
        f"SELECT p.id FROM documents_posting p, unnest(p.chunk_ids) AS x LEFT JOIN documents_chunk c ON c.id = x {not_live}",
        "SELECT c.id FROM documents_chunk c JOIN documents_document d ON d.id = c.document_id WHERE d.deleted_at IS NOT NULL",
        "SELECT version_id FROM documents_chunk GROUP BY version_id, start_at HAVING count(*) > 1",
        "SELECT id FROM documents_document WHERE state = 'ready' AND chunk_count <> vector_count",
        "SELECT b.id FROM documents_blob b LEFT JOIN documents_version v ON v.blob_id = b.id WHERE v.id IS NULL",
    )
    assert [shelf.rows(query) for query in nothing] == [[]] * len(nothing)
    for name, state, *_ in rows:
        if state == "ready" and one_order:
            (text,) = shelf.rows(
                "SELECT v.text FROM documents_document d JOIN documents_version v ON v.id = d.live_version_id"
                " WHERE d.name = %s AND d.deleted_at IS NULL",
                name,
            )[0]
            assert text.count("Part") == (history.newest[name] or "").count("Part")
