-- Which of the collections have an index of their own under the model, finished and in order.
SELECT c.id FROM unnest(%(collections)s::bigint[]) AS c (id)
WHERE EXISTS (SELECT FROM pg_catalog.pg_index i
    WHERE i.indexrelid = to_regclass('public.vector_hnsw_' || c.id || '_' || %(model)s::bigint) AND i.indisvalid AND i.indisready)
