"""The virus scanner between the store and the readers, when CLAMD names one: a file that it has not passed is not read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from documents import clamd
from documents.models import Version
from portal.events import Log

log = Log("documents.scanner")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a file was not passed; `code` names the words. `may_pass` says to come back, `is_infected` to remove the file."""

    code: str
    detail: str = ""
    may_pass: bool = False
    is_infected: bool = False


def scan(path: Path) -> Trouble | None:
    """None for a file that was passed, and for all of them where no scanner is set up. Takes as long as clamd does."""
    if not settings.CLAMD:
        return None
    try:
        with path.open("rb") as file:
            verdict = clamd.scan(settings.CLAMD, file)
    except clamd.ClamdDown as down:
        log.warning("scanner.down", error=str(down))
        return _down()
    if isinstance(verdict, clamd.Infected):
        return Trouble("documents.infected", f"It says: {verdict.name}.", is_infected=True)
    return Trouble("documents.scan_too_large") if isinstance(verdict, clamd.TooLarge) else None


def _down() -> Trouble:
    if settings.CLAMD_DOWN == "refuse":
        return Trouble("documents.scanner_refuses")
    return Trouble("documents.scanner_down", may_pass=True)


def may_be_given(version: Version) -> bool:
    """Whether the original may be downloaded: with a scanner, once it was read, so after the scanner passed it."""
    return not settings.CLAMD or version.valid_from is not None
