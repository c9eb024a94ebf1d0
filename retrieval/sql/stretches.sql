-- Stretches of versions' texts, by (version, start, end) in characters.
SELECT w.version_id, w.start_at, substr(v.text, w.start_at + 1, w.end_at - w.start_at)
FROM unnest(%(versions)s::bigint[], %(starts)s::int[], %(ends)s::int[]) AS w (version_id, start_at, end_at)
JOIN documents_version v ON v.id = w.version_id
WHERE v.workspace_id = %(workspace)s AND v.collection_id = ANY (%(collections)s::bigint[])
