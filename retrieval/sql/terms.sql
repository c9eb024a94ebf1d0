-- How many live chunks of the searched collections hold each term, summed inside posting_lookup and posting_lookup_many.
SELECT p.term, sum(p.chunks)::bigint
FROM (
    SELECT p.term, 1 AS chunks FROM documents_posting p
    WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[]) AND p.term = ANY (%(terms)s::bigint[])
      AND p.chunk_count = 1 AND p.document_id <> ALL (%(gone)s::bigint[])
    UNION ALL
    SELECT p.term, cardinality(p.chunk_ids) FROM documents_posting p
    WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[]) AND p.term = ANY (%(terms)s::bigint[])
      AND p.chunk_count > 1 AND p.document_id <> ALL (%(gone)s::bigint[])
) p
GROUP BY p.term
