"""`manage.py ingest docs/ --collection Handbook --as ada@example.org`: a folder becomes documents, and stays in step."""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from documents.folder import read_folder, snapshot
from documents.manifest import manifest_of
from documents.models import Document
from documents.rows import counted
from documents.states import explain
from documents.sync import Plan, Report, sync
from documents.text.addresses import web_address
from documents.watch import watch
from portal.events import Log
from portal.management.acting import scope_for
from portal.models import Collection
from portal.problems import UserProblem, words_for
from portal.scope import Scope, principal

log = Log("documents.folders")
BAR = 30
REFUSED_EXIT = 1
USAGE_EXIT = 2
WAIT_S = 1.0


class Command(BaseCommand):
    help = """Add the files of a folder, a zip archive or a single file to a collection, as a person and with what that person may.

Running it again writes only what changed. Exit code: 0 all is in step, 1 some files were not taken (they are listed with
their reasons), 2 nothing could be done."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder, a zip archive or a file")
        parser.add_argument("--collection", required=True, help="its name or ref")
        parser.add_argument("--as", dest="email", required=True, metavar="EMAIL", help="the member who adds the files")
        parser.add_argument("--workspace", default="", help="its name or ref; needed by a member of several")
        parser.add_argument("--base-url", default="", help="where the folder is published: documents link there")
        parser.add_argument("--prefix", default="", help="a folder in the collection that the files go under")
        parser.add_argument("--delete-missing", action="store_true", help="delete documents whose files are gone")
        parser.add_argument(
            "--manifest", type=Path, help="the files that belong (sha256sum or JSON); others are deleted"
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would be done and do nothing")
        parser.add_argument("--wait", action="store_true", help="wait until all that was taken is read")
        parser.add_argument("--watch", action="store_true", help="stay, and follow every change until Ctrl-C")
        parser.add_argument("--every", type=float, default=2.0, metavar="SECONDS", help="how often --watch looks")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        if not path.exists():
            raise CommandError(f"There is nothing at {path}.", returncode=USAGE_EXIT)
        if options["base_url"] and not web_address(options["base_url"]):
            raise CommandError(explain("documents.bad_address"), returncode=USAGE_EXIT)
        with _quiet():
            if options["watch"]:
                self._watch(path, options)
            elif self._once(path, options).rejected:
                sys.exit(REFUSED_EXIT)

    def _watch(self, path: Path, options: dict[str, Any]) -> None:
        self.stdout.write(f"Watching {path}. Stop with Ctrl-C.")
        try:
            watch(lambda: snapshot(path), lambda: self._once(path, options), lambda: _slept(options["every"]))
        except KeyboardInterrupt:
            self.stdout.write("Stopped. What was taken is kept.")

    def _once(self, path: Path, options: dict[str, Any]) -> Report:
        """One pass, as the person and the folder are now."""
        try:
            scope = scope_for(options["email"], options["workspace"])
            collection = _collection(scope, options["collection"])
            plan = _plan(options)
            with tempfile.TemporaryDirectory(prefix="footnote-ingest-") as room:
                folder = read_folder(path, Path(room))
                report = sync(scope, collection.pk, folder, plan, progress=self._progress)
        except UserProblem as problem:
            raise CommandError(explain(problem.code, problem.detail), returncode=USAGE_EXIT) from problem
        except CommandError as trouble:
            trouble.returncode = USAGE_EXIT
            raise
        except OperationalError as trouble:
            log.failure("ingest.database_down")
            raise CommandError(explain("portal.database_down"), returncode=USAGE_EXIT) from trouble
        self._summary(report, collection, plan)
        if options["wait"] and not plan.is_rehearsal:
            self._wait(scope, [one.document_ref for one in report.accepted])
        return report

    def _progress(self, done: int, of: int, name: str) -> None:
        """A bar on a terminal; nothing in a log."""
        if not self.stderr.isatty() or not of:
            return
        filled = BAR * done // of
        line = f"\r[{'#' * filled}{'.' * (BAR - filled)}] {done:,}/{of:,} {name[-40:]}"
        self.stderr.write(line.ljust(90), style_func=str, ending="\n" if done == of else "")
        self.stderr.flush()

    def _summary(self, report: Report, collection: Collection, plan: Plan) -> None:
        newer = sum(one.number > 1 for one in report.accepted)
        versions = f" ({newer:,} as new versions)" if newer else ""
        words = [f"{len(report.accepted):,} taken{versions}", f"{report.unchanged:,} unchanged"]
        for number, said in (
            (report.readdressed, "given another address"),
            (len(report.deleted), "deleted"),
            (report.left_out, "of a site's looks left out"),
            (len(report.rejected), "not taken"),
        ):
            if number:
                words.append(f"{number:,} {said}")
        lead = "Would be, in " if plan.is_rehearsal else ""
        self.stdout.write(f"{lead}{collection.name}: {', '.join(words)}.")
        for name in report.deleted:
            self.stdout.write(f"  deleted    {name}")
        for refused in report.rejected:
            self.stdout.write(f"  not taken  {refused.name}: {words_for(refused.code).title} {refused.detail}".rstrip())

    def _wait(self, scope: Scope, refs: list[str]) -> None:
        """Until each is searchable or needs attention, and say what needs it."""
        while _count(scope, refs, Document.State.QUEUED, Document.State.READING):
            time.sleep(WAIT_S)
        with principal(scope):
            rows = Document.objects.visible_to(scope).filter(ref__in=refs, state=Document.State.ATTENTION)
            needing = list(rows.order_by("name").values_list("name", "problem", "problem_detail"))
        self.stdout.write(f"Read: {counted(len(refs) - len(needing), 'document')}.")
        for name, code, detail in needing:
            self.stdout.write(f"  attention  {name}: {explain(code, detail)}")


def _plan(options: dict[str, Any]) -> Plan:
    """Raises CommandError for a manifest that cannot be read."""
    manifest = None
    if options["manifest"]:
        try:
            manifest = manifest_of(options["manifest"].read_text(encoding="utf-8"))
        except (OSError, ValueError) as trouble:
            raise CommandError(f"The manifest cannot be used: {trouble}.") from trouble
    return Plan(
        base_url=options["base_url"],
        prefix=options["prefix"],
        may_delete=options["delete_missing"] or manifest is not None,
        manifest=manifest,
        is_rehearsal=options["dry_run"],
    )


def _collection(scope: Scope, name: str) -> Collection:
    """The collection of this name or ref among those the person sees. Raises CommandError when none or several have it."""
    with principal(scope):
        seen = list(Collection.objects.visible_to(scope).order_by("id"))
    fitting = [one for one in seen if name == one.ref] or [one for one in seen if name == one.name]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(f"{one.name} ({one.ref})" for one in seen if one.pk in scope.writable_ids) or "none"
    raise CommandError(f"Name one collection by its ref or its name. This person may add to: {known}.")


def _count(scope: Scope, refs: list[str], *states: str) -> int:
    with principal(scope):
        count: int = Document.objects.visible_to(scope).filter(ref__in=refs, state__in=states).count()
    return count


@contextmanager
def _quiet() -> Iterator[None]:
    """The summary says what the log would say file by file."""
    log = logging.getLogger("documents.upload")
    before = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(before)


def _slept(seconds: float) -> bool:
    time.sleep(seconds)
    return True
