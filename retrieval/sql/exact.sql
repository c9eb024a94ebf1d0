-- The exact cosine of every vector of the searched collections: their rows by vector_scan, no join, whatever else the table holds.
SELECT f.chunk_id, 1 - f.distance
FROM (
    SELECT v.chunk_id, v.embedding <=> %(vector)s::halfvec AS distance FROM documents_chunkvector v
    WHERE v.workspace_id = %(workspace)s AND v.collection_id = ANY (%(collections)s::bigint[]) AND v.model_id = %(model)s
      AND (%(documents)s::bigint[] IS NULL OR v.document_id = ANY (%(documents)s::bigint[]))
      AND (%(chunks)s::bigint[] IS NULL OR v.chunk_id = ANY (%(chunks)s::bigint[]))
      AND v.document_id <> ALL (%(gone)s::bigint[])
    ORDER BY distance, v.chunk_id
    LIMIT %(limit)s
) f
ORDER BY f.distance, f.chunk_id
