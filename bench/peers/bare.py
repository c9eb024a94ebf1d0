"""A first portal on pgvector: psycopg, one table, exact cosine; hybrid as pgvector's README shows it, RRF over ts_rank_cd."""

from __future__ import annotations

from collections.abc import Mapping

from bench.peers.task import Search, Task, run

TABLE = """
DROP TABLE IF EXISTS bare;
CREATE TABLE bare (id bigint PRIMARY KEY, text text, embedding vector({dims}),
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED);
CREATE INDEX ON bare USING gin (words);
"""
VECTOR = "SELECT id, text FROM bare ORDER BY embedding <=> %(vector)s LIMIT %(k)s"
HYBRID = """
WITH meaning AS (
    SELECT id, row_number() OVER (ORDER BY embedding <=> %(vector)s) AS rank FROM bare ORDER BY embedding <=> %(vector)s LIMIT 100
), words AS (
    SELECT id, row_number() OVER (ORDER BY ts_rank_cd(words, asked) DESC) AS rank
    FROM bare, plainto_tsquery('english', %(text)s) asked WHERE words @@ asked ORDER BY ts_rank_cd(words, asked) DESC LIMIT 100
)
SELECT b.id, b.text FROM meaning m FULL JOIN words w ON w.id = m.id JOIN bare b ON b.id = coalesce(m.id, w.id)
ORDER BY coalesce(1.0 / (60 + m.rank), 0) + coalesce(1.0 / (60 + w.rank), 0) DESC LIMIT %(k)s
"""


def load(task: Task) -> Mapping[str, Search]:
    import numpy as np
    import psycopg
    from pgvector.psycopg import register_vector

    connection = psycopg.connect(task.address, autocommit=True)
    register_vector(connection)
    connection.execute(TABLE.format(dims=len(task.vectors[0])))
    with connection.cursor().copy("COPY bare (id, text, embedding) FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(["int8", "text", "vector"])
        for row in zip(task.ids, task.texts, map(np.array, task.vectors), strict=True):
            copy.write_row(row)
    connection.execute("VACUUM ANALYZE bare")

    def search(sql: str) -> Search:
        def found(text: str, vector: list[float]) -> list[int]:
            values = {"text": text, "vector": np.array(vector), "k": task.k}
            return [row[0] for row in connection.execute(sql, values).fetchall()]

        return found

    return {"vector": search(VECTOR), "hybrid": search(HYBRID)}


if __name__ == "__main__":
    run(load)
