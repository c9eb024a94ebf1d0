"""A shelf with the pump guide, a golden set about it, and runs carried out by a worker in this process."""

from __future__ import annotations

from tests.answers.conftest import ask  # noqa: F401
from tests.documents.ingest.conftest import embedder, shelf  # noqa: F401
