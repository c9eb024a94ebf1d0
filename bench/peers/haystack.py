"""Haystack's pgvector store as its documentation sets it up: exact scan, two retrievers joined by reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Mapping

from bench.peers.task import Search, Task, blocks, run


def load(task: Task) -> Mapping[str, Search]:
    from haystack import Document, Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.utils import Secret
    from haystack_integrations.components.retrievers.pgvector import (
        PgvectorEmbeddingRetriever,
        PgvectorKeywordRetriever,
    )
    from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore

    store = PgvectorDocumentStore(
        connection_string=Secret.from_token(task.address),
        table_name="haystack_chunks",
        embedding_dimension=len(task.vectors[0]),
        recreate_table=True,
    )
    for part in blocks(len(task.ids)):
        store.write_documents(
            [
                Document(id=str(number), content=text, embedding=vector)
                for number, text, vector in zip(task.ids[part], task.texts[part], task.vectors[part], strict=True)
            ]
        )
    meaning = PgvectorEmbeddingRetriever(document_store=store, top_k=task.k)
    both = Pipeline()
    both.add_component("meaning", PgvectorEmbeddingRetriever(document_store=store, top_k=task.k))
    both.add_component("words", PgvectorKeywordRetriever(document_store=store, top_k=task.k))
    both.add_component("joined", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=task.k))
    both.connect("meaning", "joined")
    both.connect("words", "joined")

    def by_vector(text: str, vector: list[float]) -> list[int]:
        return [int(document.id) for document in meaning.run(query_embedding=vector)["documents"]]

    def by_both(text: str, vector: list[float]) -> list[int]:
        result = both.run({"meaning": {"query_embedding": vector}, "words": {"query": text}})
        return [int(document.id) for document in result["joined"]["documents"]]

    return {"vector": by_vector, "hybrid": by_both}


if __name__ == "__main__":
    run(load)
