-- Chunks that hold every one of the terms.
SELECT u.chunk_id
FROM documents_posting p CROSS JOIN LATERAL unnest(p.chunk_ids) AS u (chunk_id)
WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[]) AND p.term = ANY (%(terms)s::bigint[])
  AND p.document_id <> ALL (%(gone)s::bigint[])
  AND (%(documents)s::bigint[] IS NULL OR p.document_id = ANY (%(documents)s::bigint[]))
GROUP BY u.chunk_id
HAVING count(*) = cardinality(%(terms)s::bigint[])
ORDER BY u.chunk_id
LIMIT %(limit)s
