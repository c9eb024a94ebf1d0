-- TF-IDF over the square root of the length (retrieval/ranking/tfidf.py): no bound on what a term can be worth, so all are read.
SELECT u.chunk_id, sum(u.frequency * w.weight / sqrt(u.length)) AS score, string_agg(p.term::text, ','), 0
FROM documents_posting p
JOIN unnest(%(terms)s::bigint[], %(weights)s::float8[]) AS w (term, weight) ON w.term = p.term
CROSS JOIN LATERAL unnest(p.chunk_ids, p.frequencies, p.lengths) AS u (chunk_id, frequency, length)
WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[])
  AND p.term = ANY (%(terms)s::bigint[]) AND p.document_id <> ALL (%(gone)s::bigint[])
  AND (%(documents)s::bigint[] IS NULL OR p.document_id = ANY (%(documents)s::bigint[]))
  AND (%(chunks)s::bigint[] IS NULL OR u.chunk_id = ANY (%(chunks)s::bigint[]))
GROUP BY u.chunk_id
ORDER BY score DESC, u.chunk_id
LIMIT %(limit)s
