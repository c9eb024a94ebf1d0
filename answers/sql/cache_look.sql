-- The searched collections that hold something, with their epochs; and the entries kept over exactly these, newest first.
-- One statement, so that an entry is never held against epochs of another moment.
WITH now_there AS (
    SELECT coalesce(array_agg(s.collection_id ORDER BY s.collection_id), '{}') AS ids,
           coalesce(array_agg(s.epoch ORDER BY s.collection_id), '{}') AS epochs
    FROM documents_collectionstats s
    WHERE s.workspace_id = %(workspace)s AND s.collection_id = ANY (%(collections)s::bigint[]) AND s.chunk_count > 0
), kept AS (
    SELECT c.* FROM answers_cachedanswer c, now_there n
    WHERE c.workspace_id = %(workspace)s AND c.exact = %(exact)s AND c.space = %(space)s AND c.expires_at > %(now)s
      AND c.collection_ids = n.ids AND c.epochs = n.epochs
    ORDER BY c.created_at DESC LIMIT 50
)
SELECT n.ids, n.epochs, k.terms, k.evidence, k.quotes, k.disagreeing, k.confidence, k.searched_chunks, k.created_at,
       1 - (k.vector <=> %(vector)s::halfvec)
FROM now_there n LEFT JOIN kept k ON true
