-- What a phrase is looked for in.
SELECT c.id, concat_ws(' ', d.title, array_to_string(c.heading_path, ' '), c.prefix, c.text)
FROM documents_chunk c
JOIN documents_document d ON d.id = c.document_id AND d.deleted_at IS NULL AND d.disabled_at IS NULL
WHERE c.workspace_id = %(workspace)s AND c.collection_id = ANY (%(collections)s::bigint[]) AND c.id = ANY (%(chunks)s::bigint[])
