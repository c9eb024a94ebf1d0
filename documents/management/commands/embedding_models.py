"""`manage.py embedding_models`: how far each model is; start, switch, rollback, retire."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from documents import model_switch
from documents.model_switch import CannotSwitch, Progress
from documents.wake import wake

NEEDS_NAME = ("start", "switch", "retire")


class Command(BaseCommand):
    help = "List the embedding models with their progress; fill another one beside the live one, switch, switch back, retire."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", nargs="?", default="list", choices=("list", *NEEDS_NAME, "rollback"))
        parser.add_argument("model", nargs="?", default="", help="its name, as EMBEDDER_NEXT_MODEL has it")
        parser.add_argument("--force", action="store_true", help="switch before every vector is there")

    def handle(self, *args: Any, **options: Any) -> None:
        action, name = options["action"], options["model"]
        if action in NEEDS_NAME and not name:
            raise CommandError(f"Say which model: manage.py embedding_models {action} MODEL")
        try:
            self.stdout.write(run(action, name, force=options["force"]))
        except CannotSwitch as why:
            raise CommandError(str(why)) from why


def run(action: str, name: str, *, force: bool) -> str:
    """The words that say what was done. Raises CannotSwitch."""
    if action == "list":
        return "\n".join(map(line_of, model_switch.progress())) or "No model yet: `manage.py bootstrap` makes one live."
    if action == "retire":
        return f"{name} is retired; {model_switch.retire(name):,} vectors were removed."
    if action == "start":
        queued = model_switch.start(name)
        wake()
        return f"{name} is filled beside the live model: {queued:,} documents were queued. Questions go on as before."
    now = model_switch.switch(name, force=force) if action == "switch" else model_switch.rollback(force=force)
    wake()
    return (
        f"{now.name} is live. The model before it stays filled: `manage.py embedding_models rollback` goes back,"
        " `retire` ends it."
    )


def line_of(model: Progress) -> str:
    parts = [
        f"{model.state:8}  {model.name}: {model.vectors:,} of {model.chunks:,} vectors ({model.percent} %)",
        f"{model.dims or 'unknown'} dimensions",
    ]
    if model.waiting:
        parts.append(f"{model.waiting:,} jobs to fill, {model.troubled:,} put off by its embedder")
    if not model.is_served and model.state != "retired":
        parts.append("the environment names no embedder of it")
    return "; ".join(parts)
