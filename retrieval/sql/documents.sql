-- Live documents of the searched collections that fit the filters. A version is as old as the moment it became valid.
SELECT d.id
FROM documents_document d
JOIN documents_version v ON v.id = d.live_version_id AND v.workspace_id = %(workspace)s
    AND v.collection_id = ANY (%(collections)s::bigint[])
WHERE d.workspace_id = %(workspace)s AND d.collection_id = ANY (%(collections)s::bigint[]) AND d.deleted_at IS NULL AND d.disabled_at IS NULL
  AND (%(refs)s::text[] IS NULL OR d.ref = ANY (%(refs)s::text[]))
  AND (%(kinds)s::text[] IS NULL OR d.kind = ANY (%(kinds)s::text[]))
  AND (%(tags)s::text[] IS NULL OR d.tags::text[] && %(tags)s::text[])
  AND (%(languages)s::text[] IS NULL OR v.language = ANY (%(languages)s::text[]))
  AND (%(since)s::timestamptz IS NULL OR v.valid_from >= %(since)s::timestamptz)
  AND (%(until)s::timestamptz IS NULL OR v.valid_from < %(until)s::timestamptz)
  AND (%(as_of)s::timestamptz IS NULL OR v.valid_from <= %(as_of)s::timestamptz)
ORDER BY d.id
