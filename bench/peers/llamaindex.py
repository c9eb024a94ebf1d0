"""LlamaIndex's PGVectorStore as its documentation sets it up: exact scan, its hybrid mode over a tsvector column."""

from __future__ import annotations

from collections.abc import Mapping

from bench.peers.task import Search, Task, blocks, run


def load(task: Task) -> Mapping[str, Search]:
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryMode
    from llama_index.vector_stores.postgres import PGVectorStore

    store = PGVectorStore.from_params(
        **task.parts,
        table_name="llamaindex_chunks",
        embed_dim=len(task.vectors[0]),
        hybrid_search=True,
        text_search_config="english",
    )
    store.clear()
    for part in blocks(len(task.ids)):
        store.add(
            [
                TextNode(id_=str(number), text=text, embedding=vector)
                for number, text, vector in zip(task.ids[part], task.texts[part], task.vectors[part], strict=True)
            ]
        )

    def search(mode: VectorStoreQueryMode) -> Search:
        def found(text: str, vector: list[float]) -> list[int]:
            result = store.query(
                VectorStoreQuery(
                    query_embedding=vector,
                    query_str=text,
                    similarity_top_k=task.k,
                    sparse_top_k=task.k,
                    hybrid_top_k=task.k,
                    mode=mode,
                )
            )
            return [int(node.node_id) for node in result.nodes or ()]

        return found

    return {"vector": search(VectorStoreQueryMode.DEFAULT), "hybrid": search(VectorStoreQueryMode.HYBRID)}


if __name__ == "__main__":
    run(load)
