-- The nearest of one promoted collection by its own partial index (retrieval/promotion.py); the numbers in braces are whole
-- numbers of ours, since an index is only used when its condition is seen. What is switched off costs places: the caller falls
-- back to the flat scan when fewer than `limit` come.
WITH near AS MATERIALIZED (
    SELECT v.chunk_id, v.document_id, v.embedding::halfvec({dims}) <=> %(vector)s::halfvec({dims}) AS distance
    FROM documents_chunkvector v
    WHERE v.workspace_id = %(workspace)s AND v.collection_id = {collection} AND v.model_id = {model}
    ORDER BY v.embedding::halfvec({dims}) <=> %(vector)s::halfvec({dims})
    LIMIT %(reach)s
)
SELECT n.chunk_id, 1 - n.distance
FROM near n
JOIN documents_document d ON d.id = n.document_id AND d.deleted_at IS NULL AND d.disabled_at IS NULL
ORDER BY n.distance, n.chunk_id
LIMIT %(limit)s
