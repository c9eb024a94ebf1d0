-- The exact cosine of chunks that another list named, by vector_once.
SELECT v.chunk_id, 1 - (v.embedding <=> %(vector)s::halfvec)
FROM documents_chunkvector v
WHERE v.chunk_id = ANY (%(chunks)s::bigint[]) AND v.model_id = %(model)s
  AND v.workspace_id = %(workspace)s AND v.collection_id = ANY (%(collections)s::bigint[])
ORDER BY v.embedding <=> %(vector)s::halfvec, v.chunk_id
