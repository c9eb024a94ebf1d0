-- The tags of the asker's live documents: in how many documents of these chunks each is, and in how many at all.
WITH found AS MATERIALIZED (
    SELECT DISTINCT c.document_id FROM documents_chunk c
    WHERE c.workspace_id = %(workspace)s AND c.collection_id = ANY (%(collections)s::bigint[]) AND c.id = ANY (%(chunks)s::bigint[])
)
SELECT t.tag, count(f.document_id)::bigint, count(*)::bigint
FROM documents_document d
CROSS JOIN LATERAL unnest(d.tags) AS t (tag)
LEFT JOIN found f ON f.document_id = d.id
WHERE d.workspace_id = %(workspace)s AND d.collection_id = ANY (%(collections)s::bigint[]) AND d.deleted_at IS NULL
  AND d.disabled_at IS NULL AND d.live_version_id IS NOT NULL AND d.tags <> '{}'
GROUP BY t.tag
ORDER BY 2 DESC, 3 DESC, 1
LIMIT %(limit)s
