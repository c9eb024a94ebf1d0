-- How many live chunks of the searched collections hold each term, summed inside posting_lookup.
SELECT p.term, sum(p.chunk_count)::bigint
FROM documents_posting p
WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[]) AND p.term = ANY (%(terms)s::bigint[])
  AND p.document_id <> ALL (%(gone)s::bigint[])
GROUP BY p.term
