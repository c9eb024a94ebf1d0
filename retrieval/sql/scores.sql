-- The scores by words of chunks that another list named, by posting_of_document: a few lookups instead of whole postings.
SELECT u.chunk_id, sum(CASE WHEN %(tfidf)s::bool THEN u.frequency * w.weight / sqrt(u.length)
    ELSE w.weight * u.frequency * (%(k1)s::float8 + 1) / (u.frequency + %(k1)s::float8
        * (1 - %(b)s::float8 + %(b)s::float8 * u.length / %(mean_length)s::float8)) END)
FROM (SELECT DISTINCT c.document_id FROM documents_chunk c
    WHERE c.id = ANY (%(chunks)s::bigint[]) AND c.workspace_id = %(workspace)s
      AND c.collection_id = ANY (%(collections)s::bigint[])) held
JOIN documents_posting p ON p.document_id = held.document_id
JOIN unnest(%(terms)s::bigint[], %(weights)s::float8[]) AS w (term, weight) ON w.term = p.term
CROSS JOIN LATERAL unnest(p.chunk_ids, p.frequencies, p.lengths) AS u (chunk_id, frequency, length)
WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[])
  AND p.term = ANY (%(terms)s::bigint[]) AND u.chunk_id = ANY (%(chunks)s::bigint[])
GROUP BY u.chunk_id
