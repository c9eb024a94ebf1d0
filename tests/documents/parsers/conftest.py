from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from documents.parsers.outcome import Limits, Refused
from documents.parsers.registry import parse
from documents.text.section import Parsed

Read = Callable[[str, str | bytes], Parsed]
Try = Callable[[str, str | bytes], Parsed | Refused]


@pytest.fixture
def attempt(tmp_path: Path) -> Try:
    def run(kind: str, content: str | bytes) -> Parsed | Refused:
        file = tmp_path / f"file.{kind}"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return parse(file, kind=kind, limits=Limits())

    return run


@pytest.fixture
def read(attempt: Try) -> Read:
    def run(kind: str, content: str | bytes) -> Parsed:
        found = attempt(kind, content)
        assert isinstance(found, Parsed)
        return found

    return run
