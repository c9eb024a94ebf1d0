"""The virus scanner: what it passes is read, what it finds is removed, and what it has not seen is neither read nor given out."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from documents import blobs, clamd, readiness
from documents.clamd import ClamdDown, Clean, Infected, TooLarge
from documents.states import explain
from documents.upload import Accepted
from documents.worker import work_through
from portal import diagnose
from tests.conftest import Cast
from tests.documents.ingest.conftest import Shelf
from tests.documents.ingest.test_faults import due_now, job
from tests.documents.ingest.test_ingest import GUIDE
from tests.fakes.clamd import MARK, Clamd

BAD = b"# Pump\n\nX5O!P%@AP " + MARK + b"\n"
NOBODY = "127.0.0.1:9"


def test_a_clean_file_is_sent_whole_in_pieces() -> None:
    data = bytes(range(256)) * 1000
    with Clamd() as server:
        verdict = clamd.scan(server.address, io.BytesIO(data))

    assert verdict == Clean()
    assert server.seen == [data]


def test_a_socket_in_the_file_system_serves_as_well(tmp_path: Path) -> None:
    with Clamd(str(tmp_path / "clamd.ctl")) as server:
        assert clamd.answers(server.address)
        assert clamd.scan(server.address, io.BytesIO(BAD)) == Infected("Eicar-Test-Signature")


def test_more_than_it_takes_is_told_from_clean() -> None:
    with Clamd(most=100_000) as server:
        assert clamd.scan(server.address, io.BytesIO(b"x" * 5_000_000)) == TooLarge()


@pytest.mark.parametrize(
    "says", [b"", b"stream: Can't allocate memory ERROR", b"HTTP/1.1 200 OK", b"stream: OK\nstream: OK"]
)
def test_any_other_answer_is_not_clean(says: bytes) -> None:
    with Clamd(says=says or b"\0") as server, pytest.raises(ClamdDown):
        clamd.scan(server.address, io.BytesIO(b"x"))


def test_nobody_there_is_down_and_no_answer_is_no() -> None:
    with pytest.raises(ClamdDown):
        clamd.scan(NOBODY, io.BytesIO(b"x"))
    assert not clamd.answers(NOBODY)
    assert not clamd.answers("unix:/nonexistent/clamd.ctl")


def test_an_infected_file_is_refused_in_words_and_its_bytes_go(shelf: Shelf, settings: Any) -> None:
    with Clamd() as server:
        settings.CLAMD = server.address
        bad = shelf.put_and_read("bad.md", BAD)
        good = shelf.put_and_read("good.md", GUIDE)

    assert (bad.state, bad.problem, bad.problem_detail) == (
        "attention", "documents.infected", "It says: Eicar-Test-Signature.",
    )  # fmt: skip
    assert "removed" in explain(bad.problem, bad.problem_detail)
    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(1,)]
    assert len([key for key in stored() if key]) == 1
    assert good.state == "ready"
    assert server.seen == [BAD, GUIDE.encode()]


def stored() -> list[str]:
    root = Path(blobs.storage().path(""))
    return [str(file) for file in root.rglob("*") if file.is_file()]


def test_a_clean_copy_of_an_infected_file_is_read_as_its_next_version(shelf: Shelf, settings: Any) -> None:
    with Clamd() as server:
        settings.CLAMD = server.address
        bad = shelf.put_and_read("pump.md", BAD)
        again = shelf.put("pump.md", BAD)
        work_through()
        shelf.put_and_read("pump.md", GUIDE)

    assert isinstance(again, Accepted)
    assert (shelf.document(bad.ref).state, shelf.document(bad.ref).problem) == ("ready", "")


def test_files_wait_while_the_scanner_is_down_and_go_on_by_themselves(shelf: Shelf, settings: Any) -> None:
    settings.CLAMD = NOBODY
    waiting = shelf.put_and_read("pump.md", GUIDE)
    held = job(shelf, "state", "crashes", "next_try_at > now()")
    with Clamd() as server:
        settings.CLAMD = server.address
        due_now(shelf)
        work_through()

    assert (waiting.state, waiting.problem, held) == ("queued", "documents.scanner_down", ("queued", 0, True))
    assert (shelf.document(waiting.ref).state, shelf.document(waiting.ref).problem) == ("ready", "")


def test_an_operator_may_have_them_set_aside_instead(shelf: Shelf, settings: Any) -> None:
    settings.CLAMD, settings.CLAMD_DOWN = NOBODY, "refuse"

    document = shelf.put_and_read("pump.md", GUIDE)

    assert (document.state, document.problem) == ("attention", "documents.scanner_refuses")
    assert job(shelf, "state") == ("failed",)
    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(1,)]


def test_a_file_that_was_not_passed_is_not_given_out(shelf: Shelf, settings: Any, cast: Cast, client: Client) -> None:
    settings.CLAMD = NOBODY
    document = shelf.put_and_read("pump.md", GUIDE)
    client.force_login(cast.ada)

    page = client.get(f"/documents/{document.ref}/")
    refused = client.get(f"/documents/{document.ref}/original/")
    with Clamd() as server:
        settings.CLAMD = server.address
        due_now(shelf)
        work_through()
    given = client.get(f"/documents/{document.ref}/original/")

    assert "The virus scanner does not answer" in page.content.decode()
    assert "Download original" not in page.content.decode()
    assert refused.status_code == 409
    assert (given.status_code, b"".join(given.streaming_content)) == (200, GUIDE.encode())  # type: ignore[attr-defined]


def test_doctor_and_the_status_page_say_what_its_absence_costs(settings: Any) -> None:
    none = list(diagnose.scanner("", "hold"))
    with Clamd() as server:
        (there,) = diagnose.scanner(server.address, "hold")
        settings.CLAMD = server.address
        up = readiness._scanner()
    (held,) = diagnose.scanner(NOBODY, "hold")
    (refused,) = diagnose.scanner("unix:/nonexistent/clamd.ctl", "refuse")
    settings.CLAMD = NOBODY

    assert none == []
    assert (there.level, held.level, refused.level) == ("ok", "lacks", "lacks")
    assert "files wait" in held.says and "tried again by hand" in refused.says
    assert [check.kind for check in up] == ["ok"]
    assert [(check.kind, check.label) for check in readiness._scanner()] == [("warn", "Does not answer")]
