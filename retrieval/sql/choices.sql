-- What the asker's live documents could be narrowed by, and how many of each there are.
SELECT d.collection_id, d.kind, v.language, extract(year FROM v.valid_from)::int, count(*)
FROM documents_document d
JOIN documents_version v ON v.id = d.live_version_id
WHERE d.workspace_id = %(workspace)s AND d.collection_id = ANY (%(collections)s::bigint[]) AND d.deleted_at IS NULL AND d.disabled_at IS NULL
GROUP BY 1, 2, 3, 4
