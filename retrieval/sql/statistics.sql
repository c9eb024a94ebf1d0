-- Chunks and mean length of the searched collections, and their documents that are deleted and not yet removed, or switched off.
WITH gone AS MATERIALIZED (
    SELECT d.id, d.chunk_count FROM documents_document d
    WHERE d.workspace_id = %(workspace)s AND d.collection_id = ANY (%(collections)s::bigint[])
      AND (d.deleted_at IS NOT NULL OR d.disabled_at IS NOT NULL) AND d.chunk_count > 0
)
SELECT greatest(coalesce(sum(s.chunk_count), 0) - (SELECT coalesce(sum(g.chunk_count), 0) FROM gone g), 0)::bigint,
       greatest(coalesce(sum(s.term_count)::float8 / nullif(sum(s.chunk_count), 0), 1), 1),
       (SELECT coalesce(array_agg(g.id), '{}') FROM gone g)
FROM documents_collectionstats s
WHERE s.workspace_id = %(workspace)s AND s.collection_id = ANY (%(collections)s::bigint[])
