-- Chunks that hold every one of the terms.
SELECT p.chunk_id
FROM (
    SELECT p.only_chunk AS chunk_id FROM documents_posting p
    WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[]) AND p.term = ANY (%(terms)s::bigint[])
      AND p.chunk_count = 1 AND p.document_id <> ALL (%(gone)s::bigint[])
      AND (%(documents)s::bigint[] IS NULL OR p.document_id = ANY (%(documents)s::bigint[]))
    UNION ALL
    SELECT unnest(p.chunk_ids) FROM documents_posting p
    WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[]) AND p.term = ANY (%(terms)s::bigint[])
      AND p.chunk_count > 1 AND p.document_id <> ALL (%(gone)s::bigint[])
      AND (%(documents)s::bigint[] IS NULL OR p.document_id = ANY (%(documents)s::bigint[]))
) p
GROUP BY p.chunk_id
HAVING count(*) = cardinality(%(terms)s::bigint[])
ORDER BY p.chunk_id
LIMIT %(limit)s
