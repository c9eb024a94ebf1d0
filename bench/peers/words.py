"""bm25s: the words alone, in memory, with its English stop words and stemmer."""

from __future__ import annotations

from collections.abc import Mapping

from bench.peers.task import Search, Task, run


def load(task: Task) -> Mapping[str, Search]:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    retriever = bm25s.BM25(method="lucene")
    retriever.index(
        bm25s.tokenize(task.texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )

    def found(text: str, vector: list[float]) -> list[int]:
        tokens = bm25s.tokenize([text], stopwords="en", stemmer=stemmer, show_progress=False)
        rows, _ = retriever.retrieve(tokens, k=min(task.k, len(task.ids)), show_progress=False)
        return [task.ids[place] for place in rows[0]]

    return {"words": found}


if __name__ == "__main__":
    run(load)
