-- The chunks before and after the found ones, in the same versions: where they lie, not what they say.
SELECT c.id, c.version_id, c.ordinal, c.kind, c.heading_path, c.start_at, c.end_at, c.prefix
FROM unnest(%(versions)s::bigint[], %(ordinals)s::int[]) AS w (version_id, ordinal)
JOIN documents_chunk c ON c.version_id = w.version_id AND c.ordinal = w.ordinal
WHERE c.workspace_id = %(workspace)s AND c.collection_id = ANY (%(collections)s::bigint[])
