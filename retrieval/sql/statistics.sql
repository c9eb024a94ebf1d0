-- Of the searched collections: chunks and mean length, languages, and the documents that are deleted and not yet removed, or switched
-- off, with their vectors; the embedding models; how those are searched that hold anything. The gone are found by document_gone,
-- which holds no other row.
WITH gone AS MATERIALIZED (
    SELECT coalesce(array_agg(d.id), '{}') AS documents, coalesce(sum(d.chunk_count), 0) AS chunks,
           coalesce(sum(d.term_count), 0) AS terms,
           coalesce(sum(d.vector_count), 0)::int AS vectors
    FROM documents_document d
    WHERE d.workspace_id = %(workspace)s AND d.collection_id = ANY (%(collections)s::bigint[])
      AND (d.deleted_at IS NOT NULL OR d.disabled_at IS NOT NULL) AND (d.chunk_count > 0 OR d.vector_count > 0)
)
SELECT greatest(coalesce(sum(s.chunk_count), 0) - (SELECT g.chunks FROM gone g), 0)::bigint,
       greatest(coalesce((sum(s.term_count) - (SELECT g.terms FROM gone g))::float8
           / nullif(sum(s.chunk_count) - (SELECT g.chunks FROM gone g), 0), 1), 1),
       coalesce(string_agg(array_to_string(s.languages, ','), ',' ORDER BY s.collection_id), ''),
       (SELECT g.documents FROM gone g), (SELECT g.vectors FROM gone g),
       (SELECT coalesce(json_agg(json_build_array(m.id, m.name, m.state, m.dims, m.languages)), '[]') FROM documents_embeddingmodel m),
       coalesce(string_agg(DISTINCT c.ranker, ',') FILTER (WHERE s.chunk_count > 0), '')
FROM documents_collectionstats s
JOIN portal_collection c ON c.id = s.collection_id AND c.workspace_id = %(workspace)s
WHERE s.workspace_id = %(workspace)s AND s.collection_id = ANY (%(collections)s::bigint[])
