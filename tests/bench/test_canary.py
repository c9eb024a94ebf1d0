"""The looking of the canary bar: a word is found however it is written, and one that is not there is not."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from bench import canary_sinks as sinks

WORD = "zq1f2e3d4c5b6a79"


@pytest.mark.parametrize(
    "text",
    [
        WORD.encode(),
        WORD.upper().encode(),
        f"why is {WORD}?".encode("utf-16-le"),
        f"x{WORD}".encode().hex().encode(),
        *(base64.b64encode(b"y" * shift + f"is {WORD} there?".encode()) for shift in range(6)),
        json.dumps({"q": f"\u00e9 {WORD}"}).encode(),
    ],
)
def test_a_word_is_found_in_any_spelling(text: bytes) -> None:
    assert sinks.holds([b"nothing", text], [WORD, "zqother00000000"]) == {WORD}


def test_a_word_that_is_not_there_is_not_found() -> None:
    assert sinks.holds([b"zq1f2e3d4c5b6a7", base64.b64encode(b"something else entirely")], [WORD]) == set()


def test_names_of_files_are_looked_at_and_the_database_is_left_out(tmp_path: Path) -> None:
    (tmp_path / f"{WORD}.txt").touch()
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "heap").write_text("zqinside")

    found = list(sinks.files(tmp_path, but=("postgres",)))

    assert sinks.holds(found, [WORD, "zqinside"]) == {WORD}


def test_the_body_of_a_task_message_is_decoded() -> None:
    body = base64.b64encode(json.dumps([[], {"text": WORD}, {}]).encode()).decode()
    message = json.dumps({"body": body, "content-type": "application/json"})
    traffic = f'1.2 [0 127.0.0.1:1] "LPUSH" "celery" {json.dumps(message)}'.encode()

    assert sinks.holds(sinks.payloads(traffic), [WORD]) == {WORD}
