"""Run by a Python that has langchain-postgres, not ours: put texts and their vectors into a PGVectorStore and say what it cost.

Reads {"url": …, "texts": […]} and writes {"cpu_ms": CPU-milliseconds a text}. Vectors are made before the clock starts; one
batch of a hundred texts a call, as its own guides do.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from langchain_core.embeddings import Embeddings
from langchain_postgres import PGEngine, PGVectorStore

from bench.made_vectors import DIMS, vector_of

BATCH = 100
TABLE = "chunks"


class Made(Embeddings):
    """Vectors that are there already."""

    def __init__(self, known: dict[str, list[float]]) -> None:
        self.known = known

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.known[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.known[text]


def main() -> None:
    given = json.load(sys.stdin)
    texts, url = given["texts"], given["url"]
    made = Made({text: vector_of(text) for text in texts})
    engine = PGEngine.from_connection_string(url="postgresql+psycopg://" + url.split("://", 1)[1])
    engine.init_vectorstore_table(table_name=TABLE, vector_size=DIMS)
    store = PGVectorStore.create_sync(engine, embedding_service=made, table_name=TABLE)
    started = time.process_time()
    for at in range(0, len(texts), BATCH):
        store.add_texts(
            texts[at : at + BATCH], metadatas=[{"ordinal": n} for n in range(at, min(at + BATCH, len(texts)))]
        )
    spent = time.process_time() - started
    json.dump({"cpu_ms": spent * 1000 / len(texts)}, sys.stdout)


if __name__ == "__main__":
    main()
