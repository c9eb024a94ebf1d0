-- True BM25 (Robertson & Zaragoza 2009, eq. 3.15): the weights come from retrieval/lexical.py. What the asker cannot see
-- changes nothing. Postings of the telling terms are read whole, by posting_lookup; those of the terms that most chunks hold,
-- together worth `spare` at most, for the chunks that could still be among the first `limit`, by posting_of_document.
-- `least` is the score of the last of the first `limit` by the telling terms: below `spare`, the list may lack somebody.
-- Both parts are added up by a hash, never joined: the planner expects one row of each and would pair every row with every.
WITH hits AS MATERIALIZED (
    SELECT u.chunk_id, p.document_id, p.term,
           w.weight * u.frequency * (%(k1)s::float8 + 1) / (u.frequency + %(k1)s::float8
               * (1 - %(b)s::float8 + %(b)s::float8 * u.length / %(mean_length)s::float8)) AS score
    FROM documents_posting p
    JOIN unnest(%(terms)s::bigint[], %(weights)s::float8[]) AS w (term, weight) ON w.term = p.term
    CROSS JOIN LATERAL unnest(p.chunk_ids, p.frequencies, p.lengths) AS u (chunk_id, frequency, length)
    WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[])
      AND p.term = ANY (%(terms)s::bigint[]) AND p.document_id <> ALL (%(gone)s::bigint[])
      AND (%(documents)s::bigint[] IS NULL OR p.document_id = ANY (%(documents)s::bigint[]))
      AND (%(chunks)s::bigint[] IS NULL OR u.chunk_id = ANY (%(chunks)s::bigint[]))
),
partly AS MATERIALIZED (
    SELECT h.chunk_id, min(h.document_id) AS document_id, sum(h.score) AS score, string_agg(h.term::text, ',') AS terms
    FROM hits h GROUP BY h.chunk_id
),
edge AS MATERIALIZED (
    SELECT coalesce((SELECT p.score FROM partly p ORDER BY p.score DESC OFFSET %(limit)s::int - 1 LIMIT 1), 0) AS least
),
near AS MATERIALIZED (
    SELECT p.chunk_id, p.document_id, p.score, p.terms FROM partly p
    WHERE p.score >= (SELECT e.least FROM edge e) - %(spare)s::float8
),
common AS MATERIALIZED (
    SELECT u.chunk_id, p.term,
           w.weight * u.frequency * (%(k1)s::float8 + 1) / (u.frequency + %(k1)s::float8
               * (1 - %(b)s::float8 + %(b)s::float8 * u.length / %(mean_length)s::float8)) AS score
    FROM (SELECT DISTINCT n.document_id FROM near n) held
    JOIN documents_posting p ON p.document_id = held.document_id
    JOIN unnest(%(common)s::bigint[], %(common_weights)s::float8[]) AS w (term, weight) ON w.term = p.term
    CROSS JOIN LATERAL unnest(p.chunk_ids, p.frequencies, p.lengths) AS u (chunk_id, frequency, length)
    WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[])
      AND p.term = ANY (%(common)s::bigint[])
)
SELECT a.chunk_id, sum(a.score) AS score, string_agg(a.terms, ','), (SELECT e.least FROM edge e)
FROM (
    SELECT n.chunk_id, n.score, n.terms, true AS is_near FROM near n
    UNION ALL
    SELECT c.chunk_id, c.score, c.term::text, false FROM common c
) a
GROUP BY a.chunk_id
HAVING bool_or(a.is_near)
ORDER BY score DESC, a.chunk_id
LIMIT %(limit)s
