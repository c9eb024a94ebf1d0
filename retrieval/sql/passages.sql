-- The chosen chunks with what an answer needs of them; a chunk of a deleted document or an old version is not evidence.
SELECT c.id, c.document_id, c.version_id, c.collection_id, c.text, c.start_at, c.end_at, coalesce(nullif(d.title, ''), d.name),
       d.ref, c.heading_path, c.page, c.prefix, c.kind, c.language, d.source_url
FROM documents_chunk c
JOIN documents_document d ON d.id = c.document_id AND d.deleted_at IS NULL AND d.live_version_id = c.version_id
WHERE c.workspace_id = %(workspace)s AND c.collection_id = ANY (%(collections)s::bigint[]) AND c.id = ANY (%(chunks)s::bigint[])
