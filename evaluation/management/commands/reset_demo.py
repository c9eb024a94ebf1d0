"""`manage.py reset_demo`: drop the demo workspace and build it again; every other workspace stays as it is."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation import demo


class Command(BaseCommand):
    help = "Drop and rebuild the demo workspace. The sign-in stays the same."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        if (
            not options["yes"]
            and input("Everything in the demo workspace is removed. Go on? [y/N] ").strip().lower() != "y"
        ):
            raise CommandError("Nothing was changed.")
        files = demo.drop()
        demo.build()
        self.stdout.write(
            f"The demo workspace is new; {files} files of the old one were removed. A worker reads the samples."
        )
