-- Chunks of versions that were valid at a moment and are not live now, of documents that are still there.
SELECT c.id, c.version_id, d.title, c.heading_path, c.prefix, c.text, c.language
FROM documents_version v
JOIN documents_document d ON d.id = v.document_id AND d.deleted_at IS NULL AND d.disabled_at IS NULL AND d.live_version_id <> v.id
JOIN documents_chunk c ON c.version_id = v.id AND c.workspace_id = %(workspace)s
    AND c.collection_id = ANY (%(collections)s::bigint[])
WHERE v.workspace_id = %(workspace)s AND v.collection_id = ANY (%(collections)s::bigint[])
  AND v.valid_from <= %(as_of)s::timestamptz AND v.valid_to > %(as_of)s::timestamptz
  AND (%(refs)s::text[] IS NULL OR d.ref = ANY (%(refs)s::text[]))
  AND (%(kinds)s::text[] IS NULL OR d.kind = ANY (%(kinds)s::text[]))
  AND (%(tags)s::text[] IS NULL OR d.tags::text[] && %(tags)s::text[])
  AND (%(languages)s::text[] IS NULL OR v.language = ANY (%(languages)s::text[]))
  AND (%(since)s::timestamptz IS NULL OR v.valid_from >= %(since)s::timestamptz)
  AND (%(until)s::timestamptz IS NULL OR v.valid_from < %(until)s::timestamptz)
ORDER BY c.id
LIMIT %(limit)s
