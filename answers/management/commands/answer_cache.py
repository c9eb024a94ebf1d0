"""`manage.py answer_cache on|off WORKSPACE`: whether a workspace gives earlier answers again; off forgets what is kept."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from answers.models import AnswerOptions, CachedAnswer
from portal.models import Workspace


class Command(BaseCommand):
    help = "Switch the giving of earlier answers on or off for one workspace."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("state", choices=("on", "off"))
        parser.add_argument("workspace", help="the workspace's name")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.using("owner").filter(name=options["workspace"]).first()
        if workspace is None:
            raise CommandError("There is no workspace of that name.")
        gives_again = options["state"] == "on"
        with transaction.atomic(using="owner"):
            AnswerOptions.objects.using("owner").update_or_create(
                workspace=workspace, defaults={"gives_again": gives_again}
            )
            if not gives_again:
                CachedAnswer.objects.using("owner").filter(workspace=workspace).delete()
        self.stdout.write("Earlier answers are given again." if gives_again else "Every question is answered afresh.")
