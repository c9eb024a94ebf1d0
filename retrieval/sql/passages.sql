-- The chosen chunks with what an answer needs of them; a chunk of a deleted or disabled document or an old version is not evidence, but
-- for versions that were asked for by their date.
SELECT c.id, c.document_id, c.version_id, c.collection_id, c.text, c.start_at, c.end_at, coalesce(nullif(d.title, ''), d.name),
       d.ref, c.heading_path, c.page, c.prefix, c.kind, c.language, coalesce(nullif(c.source_url, ''), d.source_url), c.ordinal
FROM documents_chunk c
JOIN documents_document d ON d.id = c.document_id AND d.deleted_at IS NULL AND d.disabled_at IS NULL
    AND (d.live_version_id = c.version_id OR c.version_id = ANY (%(versions)s::bigint[]))
WHERE c.workspace_id = %(workspace)s AND c.collection_id = ANY (%(collections)s::bigint[]) AND c.id = ANY (%(chunks)s::bigint[])
