"""`manage.py promote_index COLLECTION`: give a large collection an HNSW index of its own, or take it away again."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from documents.models import CollectionStats, EmbeddingModel
from portal.models import Collection
from portal.problems import SystemProblem
from retrieval.promotion import OWNER, WORTH_IT, demote, promote


class Command(BaseCommand):
    """Works as the owner role, which web and worker do not have; searches go on meanwhile."""

    help = "Give a large collection an HNSW index of its own, so that search by meaning does not scan it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("collection", help="the collection's ref")
        parser.add_argument("--demote", action="store_true", help="drop the index: the flat scan serves again")

    def handle(self, *args: Any, **options: Any) -> None:
        if OWNER not in connections.databases:
            raise CommandError("The owner's password is not set: this command runs where migrations run.")
        found = Collection.objects.using(OWNER).filter(ref=options["collection"]).first()
        if found is None:
            raise CommandError("There is no collection with this ref.")
        model = EmbeddingModel.objects.using(OWNER).filter(state=EmbeddingModel.State.LIVE).first()
        if model is None:
            raise CommandError("No embedding model is live, so there are no vectors to index.")
        if options["demote"]:
            demote(found.pk, model)
            self.stdout.write("The index is gone; the flat scan serves this collection.")
            return
        self._promote(found, model)

    def _promote(self, collection: Collection, model: EmbeddingModel) -> None:
        stats = CollectionStats.objects.using(OWNER).filter(pk=collection.pk).first()
        chunks = stats.chunk_count if stats else 0
        if chunks < WORTH_IT:
            self.stdout.write(
                f"{chunks:,} passages: below {WORTH_IT:,} the index is not used, since the flat scan is as fast."
            )
        started = time.monotonic()
        try:
            name = promote(collection.pk, model)
        except SystemProblem as problem:
            raise CommandError(
                f"An HNSW index cannot hold this model's vectors: {problem.detail} dimensions."
            ) from problem
        self.stdout.write(f"{name} is built over {chunks:,} passages, in {time.monotonic() - started:.0f} s.")
