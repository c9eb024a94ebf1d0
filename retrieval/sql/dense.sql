-- Flat scan by Hamming distance of the sign bits, inside vector_scan alone, then the exact cosine of the nearest.
-- `reach` grows by `gone_vectors`, what is deleted and not yet removed or switched off, so that the list still holds min(limit, visible).
-- With documents or chunks named only these are scanned; without, the clauses fold away and the index is all that is read.
-- The nearest are looked up one by one and no document is joined: the planner would read every vector of the collection for it.
WITH near AS MATERIALIZED (
    SELECT v.chunk_id FROM documents_chunkvector v
    WHERE v.workspace_id = %(workspace)s AND v.collection_id = ANY (%(collections)s::bigint[]) AND v.model_id = %(model)s
      AND (%(documents)s::bigint[] IS NULL OR v.document_id = ANY (%(documents)s::bigint[]))
      AND (%(chunks)s::bigint[] IS NULL OR v.chunk_id = ANY (%(chunks)s::bigint[]))
    ORDER BY v.code <~> %(code)s::varbit, v.chunk_id
    LIMIT %(reach)s::int + %(gone_vectors)s::int
)
SELECT v.chunk_id, 1 - (v.embedding <=> %(vector)s::halfvec) AS similarity
FROM documents_chunkvector v
WHERE v.chunk_id = ANY (ARRAY(SELECT n.chunk_id FROM near n)) AND v.model_id = %(model)s
  AND v.workspace_id = %(workspace)s AND v.collection_id = ANY (%(collections)s::bigint[])
  AND v.document_id <> ALL (%(gone)s::bigint[])
ORDER BY v.embedding <=> %(vector)s::halfvec, v.chunk_id
LIMIT %(limit)s
