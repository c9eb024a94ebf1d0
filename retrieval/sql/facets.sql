-- Documents of these chunks: what a result can be narrowed by. A version is of the year in which it became valid.
SELECT DISTINCT d.id, d.collection_id, d.kind, v.language, extract(year FROM v.valid_from)::int
FROM documents_chunk c
JOIN documents_document d ON d.id = c.document_id AND d.deleted_at IS NULL AND d.disabled_at IS NULL
JOIN documents_version v ON v.id = c.version_id
WHERE c.workspace_id = %(workspace)s AND c.collection_id = ANY (%(collections)s::bigint[]) AND c.id = ANY (%(chunks)s::bigint[])
