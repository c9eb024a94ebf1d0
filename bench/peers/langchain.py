"""LangChain's PGVectorStore as its documentation sets it up: exact scan, hybrid by its own reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bench.peers.task import Search, Task, blocks, run

TABLE = "langchain_chunks"


def load(task: Task) -> Mapping[str, Search]:
    from langchain_core.embeddings import Embeddings
    from langchain_postgres import PGEngine, PGVectorStore
    from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion

    class Given(Embeddings):
        """Hands out the vector that belongs to the question."""

        vector: list[float] = []

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise NotImplementedError("the vectors are given")

        def embed_query(self, text: str) -> list[float]:
            return self.vector

    given = Given()
    engine = PGEngine.from_connection_string(url=task.address.replace("postgresql://", "postgresql+psycopg://"))

    def both() -> Any:
        """Made anew for each question: the store keeps the first question's words in it and would search for them ever after."""
        return HybridSearchConfig(
            tsv_column="content_tsv",
            fusion_function=reciprocal_rank_fusion,
            fusion_function_parameters={"fetch_top_k": task.k},
            primary_top_k=task.k,
            secondary_top_k=task.k,
        )

    engine.init_vectorstore_table(TABLE, len(task.vectors[0]), hybrid_search_config=both(), overwrite_existing=True)
    store = PGVectorStore.create_sync(engine, given, TABLE, k=task.k, hybrid_search_config=both())
    for part in blocks(len(task.ids)):
        store.add_embeddings(
            texts=task.texts[part],
            embeddings=task.vectors[part],
            metadatas=[{"chunk": number} for number in task.ids[part]],
        )
    store.apply_hybrid_search_index()

    def search(config: Callable[[], Any]) -> Search:
        def found(text: str, vector: list[float]) -> list[int]:
            given.vector = vector
            documents = store.similarity_search(text, k=task.k, hybrid_search_config=config())
            return [document.metadata["chunk"] for document in documents]

        return found

    return {"vector": search(lambda: None), "hybrid": search(both)}


if __name__ == "__main__":
    run(load)
