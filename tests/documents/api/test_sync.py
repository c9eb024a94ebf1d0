"""A collection kept in step with a folder elsewhere: compared, filled, settled; all of it or nothing."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.test.utils import CaptureQueriesContext

from documents.models import Document, IngestJob
from portal.env import ROOT
from portal.models import Collection
from tests.conftest import Cast
from tests.documents.api.conftest import Program, ProgramFor

OWNER = "owner"


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def manifest(files: dict[str, bytes]) -> dict[str, str]:
    return {path: digest(body) for path, body in files.items()}


@pytest.fixture
def ada(program: ProgramFor, cast: Cast) -> Program:
    return program(cast.ada)


@pytest.fixture
def at(cast: Cast) -> str:
    return f"/collections/{cast.shared(cast.north).ref}/sync/"


def put(ada: Program, cast: Cast, files: dict[str, bytes], prefix: str = "") -> None:
    for path, body in files.items():
        sent = ada.upload("x.md", body, collection=cast.shared(cast.north).ref, path=f"{prefix}{path}")
        assert sent.status_code in (200, 202), sent.content


def here() -> set[str]:
    return set(Document.objects.using(OWNER).filter(deleted_at__isnull=True).values_list("name", flat=True))


FILES = {"a.md": b"# A", "b/c.md": b"# C", "d.md": b"# D"}


def test_a_comparison_says_which_files_to_send_and_writes_nothing(ada: Program, cast: Cast, at: str) -> None:
    put(ada, cast, {"a.md": b"# A", "b/c.md": b"# older", "old.md": b"# Old"})
    before = list(Document.objects.using(OWNER).order_by("id").values())

    answer = ada.post(at, {"manifest": manifest(FILES)})

    assert (answer.status_code, answer.json()) == (
        200,
        {
            "wanted": ["b/c.md", "d.md"],
            "unchanged": 1,
            "gone": ["old.md"],
            "deleted": [],
            "readdressed": 0,
            "remaining": 0,
        },
    )
    assert list(Document.objects.using(OWNER).order_by("id").values()) == before


@pytest.mark.parametrize(
    "form",
    [
        manifest(FILES),
        [{"path": path, "sha256": digest(body)} for path, body in FILES.items()],
        {"files": manifest(FILES)},
        "".join(f"{digest(body)}  {path}\n" for path, body in FILES.items()),
    ],
)
def test_a_manifest_is_read_in_every_form_that_the_command_reads(ada: Program, at: str, form: Any) -> None:
    assert ada.post(at, {"manifest": form}).json()["wanted"] == list(FILES)


@pytest.mark.parametrize("form", [{"../x.md": "0" * 64}, {"a.md": "0"}, "nonsense", 7, None, {"/etc": "0" * 64}])
def test_a_manifest_that_cannot_be_read_is_refused(ada: Program, at: str, form: Any) -> None:
    assert ada.post(at, {"manifest": form}).status_code == 400


def test_settling_deletes_what_went_and_gives_addresses(ada: Program, cast: Cast, at: str) -> None:
    put(ada, cast, {**FILES, "old.md": b"# Old", "older.md": b"# Older"})

    answer = ada.post(at, {"manifest": manifest(FILES), "settle": True, "base_url": "https://docs.example.org/"}).json()
    again = ada.post(at, {"manifest": manifest(FILES), "settle": True, "base_url": "https://docs.example.org/"}).json()

    assert (sorted(answer["deleted"]), answer["readdressed"], answer["remaining"]) == (["old.md", "older.md"], 3, 0)
    assert (again["deleted"], again["readdressed"], again["unchanged"]) == ([], 0, 3)
    assert here() == set(FILES)
    assert Document.objects.using(OWNER).get(name="b/c.md").source_url == "https://docs.example.org/b/c.md"


def test_while_a_file_is_missing_nothing_is_deleted(ada: Program, cast: Cast, at: str) -> None:
    put(ada, cast, {"a.md": b"# A", "old.md": b"# Old"})

    answer = ada.post(at, {"manifest": manifest(FILES), "settle": True})

    assert (answer.status_code, answer.json()["code"]) == (409, "documents.sync_incomplete")
    assert "2 of 3: b/c.md, d.md" in answer.json()["detail"]
    assert here() == {"a.md", "old.md"}


def test_a_deletion_that_fails_half_way_deletes_nothing(ada: Program, cast: Cast, at: str) -> None:
    put(ada, cast, {**FILES, "old.md": b"# Old", "older.md": b"# Older"})
    last = Document.objects.using(OWNER).get(name="older.md")
    with connections[OWNER].cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'check_violation'; END $$"
        )
        cursor.execute(
            f"CREATE TRIGGER refuse BEFORE UPDATE OF deleted_at ON documents_document FOR EACH ROW"
            f" WHEN (OLD.id = {last.pk}) EXECUTE FUNCTION public.refuse()"
        )
    try:
        answer = ada.post(at, {"manifest": manifest(FILES), "settle": True})
    finally:
        with connections[OWNER].cursor() as cursor:
            cursor.execute("DROP TRIGGER refuse ON documents_document; DROP FUNCTION public.refuse()")

    assert answer.status_code >= 409
    assert here() == {*FILES, "old.md", "older.md"}
    assert not IngestJob.objects.using(OWNER).filter(kind="remove").exists()


def test_files_that_were_refused_are_named_and_not_waited_for(ada: Program, cast: Cast, at: str) -> None:
    put(ada, cast, {"a.md": b"# A", "old.md": b"# Old"})
    listed = manifest({"a.md": b"# A", "tool.exe": b"MZ"})

    answer = ada.post(at, {"manifest": listed, "settle": True, "refused": ["tool.exe"]}).json()

    assert answer["deleted"] == ["old.md"]


def test_a_prefix_keeps_the_rest_of_the_collection_out_of_it(ada: Program, cast: Cast, at: str) -> None:
    put(ada, cast, {"other.md": b"# Other"})
    put(ada, cast, {"a.md": b"# A", "old.md": b"# Old"}, prefix="guide/")

    found = ada.post(at, {"manifest": manifest(FILES), "prefix": "guide"}).json()
    put(ada, cast, {path: FILES[path] for path in found["wanted"]}, prefix="guide/")
    ada.post(at, {"manifest": manifest(FILES), "prefix": "guide", "settle": True})

    assert (found["wanted"], found["gone"]) == (["b/c.md", "d.md"], ["guide/old.md"])
    assert here() == {"other.md", "guide/a.md", "guide/b/c.md", "guide/d.md"}


def test_an_empty_manifest_deletes_nothing(ada: Program, cast: Cast, at: str) -> None:
    put(ada, cast, FILES)

    assert ada.post(at, {"manifest": {}, "settle": True}).json()["code"] == "documents.sync_empty"
    assert here() == set(FILES)


def test_who_may_not_change_the_collection_compares_and_deletes_nothing(
    program: ProgramFor, ada: Program, cast: Cast, at: str
) -> None:
    put(ada, cast, {"old.md": b"# Old"})
    body = {"manifest": {"x.md": "0" * 64}, "refused": ["x.md"], "settle": True}

    assert program(cast.cy).post(at, body).status_code == 404
    assert program(cast.dot).post(at, body).status_code == 403
    assert program(cast.ada, "read").post(at, body).status_code == 403
    elsewhere = [Collection.objects.using(OWNER).get(owner=cast.ada)]
    assert program(cast.ada, collections=elsewhere).post(at, body).status_code == 404
    assert here() == {"old.md"}


def test_more_than_one_call_deletes_is_deleted_call_by_call(
    ada: Program, cast: Cast, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.sync_api.MOST_DELETED", 2)
    put(ada, cast, {"a.md": b"# A", **{f"old{number}.md": b"# %d" % number for number in range(5)}})
    body = {"manifest": manifest({"a.md": b"# A"}), "settle": True}
    left = [ada.post(at, body).json()["remaining"] for _ in range(3)]

    assert (left, here()) == ([3, 1, 0], {"a.md"})


def test_ten_thousand_paths_are_compared_in_few_queries_and_seconds(ada: Program, cast: Cast, at: str) -> None:
    put(ada, cast, FILES)
    listed = {f"guide/{number}/page.md": digest(b"%d" % number) for number in range(10_000)} | manifest(FILES)
    started = time.process_time()
    with CaptureQueriesContext(connections["default"]) as seen:
        answer = ada.post(at, {"manifest": listed})

    assert (len(answer.json()["wanted"]), answer.json()["unchanged"]) == (10_000, 3)
    assert len(seen) <= 20
    assert time.process_time() - started < 5


def test_two_at_once_end_as_one_of_them_and_lose_no_listed_file(ada: Program, cast: Cast, at: str) -> None:
    put(ada, cast, {**FILES, **{f"old{number}.md": b"# %d" % number for number in range(10)}})
    gate = threading.Barrier(2)

    def settle(number: int) -> int:
        try:
            gate.wait(timeout=10)
            return int(ada.post(at, {"manifest": manifest(FILES), "settle": True}).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(settle, range(2)))

    assert 200 in answers
    assert set(answers) <= {200, 404}
    assert here() == set(FILES)
    assert IngestJob.objects.using(OWNER).filter(kind="remove", state="queued").count() == 10


class Quiet(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Nothing: the answers are what is looked at."""


@contextmanager
def portal() -> Iterator[str]:
    """This very application, over HTTP."""
    server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_documented_script_keeps_a_folder_in_step(ada: Program, cast: Cast, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    for path, body in {**FILES, "größe.md": b"# G", "tool.exe": b"MZ\x90\x00" + bytes(90)}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(body)

    def run(url: str) -> tuple[int, str]:
        command = [sys.executable, str(ROOT / "docs/examples/sync.py"), str(folder), cast.shared(cast.north).ref]
        environment = {**os.environ, "FOOTNOTE_URL": url, "FOOTNOTE_KEY": ada.key}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    with portal() as url:
        first = run(url)
        (folder / "d.md").unlink()
        (folder / "tool.exe").unlink()
        (folder / "a.md").write_bytes(b"# A, changed")
        second = run(url)
        third = run(url)

    assert first == (
        1,
        "4 sent, 0 unchanged, 0 deleted.\n  not taken  tool.exe: Footnote cannot read this kind of file.\n",
    )
    assert second == (0, "1 sent, 2 unchanged, 1 deleted.\n")
    assert third == (0, "0 sent, 3 unchanged, 0 deleted.\n")
    assert here() == {"a.md", "b/c.md", "größe.md"}
