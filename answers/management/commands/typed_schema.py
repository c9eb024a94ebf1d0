"""manage.py typed_schema: the typed API's OpenAPI description; --write keeps it where it is served from."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from answers.typed.described import written
from answers.typed.schema import FILE


class Command(BaseCommand):
    help = "Print the typed API's OpenAPI description, or write it to the file that is served."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", action="store_true", help="write answers/typed/openapi.json")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["write"]:
            FILE.write_text(written(), encoding="utf-8")
        else:
            self.stdout.write(written())
