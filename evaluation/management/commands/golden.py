"""`manage.py golden import|export|draft|approve|sample|list`: golden sets from the command line."""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.models import Document, Version
from documents.upload import Rejected, accept
from evaluation.golden import drafting, files, sample, store
from evaluation.golden.item import Item, Malformed
from evaluation.models import GoldenQuestion, GoldenSet
from evaluation.operator import add_arguments, scope_for
from portal.access import scope_of
from portal.models import Collection
from portal.problems import UserProblem, words_for
from portal.scope import Scope, principal


class Command(BaseCommand):
    help = "Import, export, draft and review golden sets."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parts = parser.add_subparsers(dest="part", required=True)
        for name, help_text in (
            ("import", "save a JSONL or CSV file or a BEIR folder as a new version"),
            ("export", "write the newest version"),
            ("draft", "propose one question per heading of a document"),
            ("approve", "take all drafts into a new version"),
        ):
            part = parts.add_parser(name, help=help_text)
            part.add_argument("set", help="name of the golden set")
            add_arguments(part)
            if name in ("import", "export"):
                part.add_argument("path", type=Path)
                part.add_argument("--format", choices=("jsonl", "csv", "beir"))
            if name == "import":
                part.add_argument(
                    "--replace", action="store_true", help="end the questions that the file does not hold"
                )
                part.add_argument(
                    "--corpus-into", default="", help="also upload a BEIR folder's corpus into this collection"
                )
            if name == "export":
                part.add_argument(
                    "--with-corpus", action="store_true", help="BEIR: write the gold documents' texts too"
                )
            if name == "draft":
                part.add_argument("document", help="name of the document")
                part.add_argument(
                    "--model", action="store_true", help="let the model that is set up write the questions"
                )
        for name in ("sample", "list"):
            add_arguments(parts.add_parser(name))

    def handle(self, *args: Any, **options: Any) -> None:
        scope = scope_for(options["email"], options["workspace"])
        try:
            self.stdout.write(getattr(self, f"_{options['part']}")(scope, options))
        except (Malformed, OSError) as trouble:
            raise CommandError(str(trouble)) from None
        except UserProblem as trouble:
            raise CommandError(words_for(trouble.code).title) from None

    def _import(self, scope: Scope, options: dict[str, Any]) -> str:
        items = files.read_path(options["path"], options["format"])
        if options["corpus_into"]:
            self.stdout.write(upload_corpus(scope, options["path"], options["corpus_into"]))
        golden_set = store.open_set(scope, options["set"])
        saved = store.save(scope, golden_set, items, origin=GoldenQuestion.Origin.IMPORT, replace=options["replace"])
        return f"{golden_set.name}, {saved}"

    def _export(self, scope: Scope, options: dict[str, Any]) -> str:
        golden_set = find_set(scope, options["set"])
        with principal(scope):
            items = [store.item_of(row) for row in store.questions_of(scope, golden_set.pk, golden_set.version)]
        path: Path = options["path"]
        kind = options["format"] or ("csv" if path.suffix == ".csv" else "jsonl" if path.suffix else "beir")
        if kind == "beir":
            files.write_beir(path, items, corpus(scope, items) if options["with_corpus"] else ())
        else:
            path.write_text(files.to_csv(items) if kind == "csv" else files.to_jsonl(items), encoding="utf-8")
        return f"{len(items)} questions of {golden_set.name}, version {golden_set.version}"

    def _draft(self, scope: Scope, options: dict[str, Any]) -> str:
        with principal(scope):
            rows = Document.objects.visible_to(scope).filter(name=options["document"], deleted_at__isnull=True)
            document = rows.order_by("pk").first()
        if document is None:
            raise CommandError("There is no such document that this person sees.")
        golden_set = store.open_set(scope, options["set"])
        make = drafting.by_model if options["model"] else drafting.from_document
        items = make(scope, document)
        count = store.draft(scope, golden_set, items, origin=GoldenQuestion.Origin.DRAFT)
        return f"{count} drafts: review them on the page of the set, or take all with `golden approve`"

    def _approve(self, scope: Scope, options: dict[str, Any]) -> str:
        return str(store.approve(scope, find_set(scope, options["set"])))

    def _sample(self, scope: Scope, options: dict[str, Any]) -> str:
        golden_set = sample.ensure(scope)
        return f"{golden_set.name}, version {golden_set.version}; {sample.unread(scope)} of its documents are still to be read"

    def _list(self, scope: Scope, options: dict[str, Any]) -> str:
        with principal(scope):
            rows = list(GoldenSet.objects.visible_to(scope).order_by("name"))
        return "\n".join(f"{row.ref}  version {row.version:<4} {row.name}" for row in rows) or "No golden set yet."


def find_set(scope: Scope, name: str) -> GoldenSet:
    """By name or reference. Raises CommandError."""
    with principal(scope):
        rows = GoldenSet.objects.visible_to(scope)
        found: GoldenSet | None = rows.filter(name=name).first() or rows.filter(ref=name).first()
    if found is None:
        raise CommandError(f"There is no golden set named {name}.")
    return found


def upload_corpus(scope: Scope, folder: Path, collection: str) -> str:
    """Every document of the folder through the upload, as this person; unchanged ones cost nothing."""
    with principal(scope):
        found = Collection.objects.visible_to(scope).filter(name=collection).order_by("pk").first()
        found = found or Collection.objects.create_for(scope, name=collection, kind=Collection.Kind.SHARED)
    scope = scope_of(scope.user_id or 0, scope.workspace_id) or scope
    number = refused = 0
    for number, (name, content) in enumerate(files.corpus_of(folder), 1):  # noqa: B007
        outcome = accept(scope, found.pk, name=name, file=io.BytesIO(content), size_bytes=len(content))
        refused += isinstance(outcome, Rejected)
    return f"{number} documents sent, {refused} refused; a worker reads them"


def corpus(scope: Scope, items: list[Item]) -> list[tuple[str, str, str]]:
    """(name, title, text) of the gold documents that this person sees."""
    with principal(scope):
        found = store.find_documents(scope, (passage.document for item in items for passage in item.gold))
        versions = {documents[0].version_id: name for name, documents in found.items()}
        rows = Version.objects.visible_to(scope).filter(pk__in=list(versions)).select_related("document")
        return [(versions[row.pk], row.document.title, row.text) for row in rows.order_by("pk")]
