-- True BM25 (Robertson & Zaragoza 2009, eq. 3.15, with Lucene's idf, which is never negative) over the postings of the
-- searched collections. Statistics are those of the searched collections alone: what the asker cannot see changes nothing.
-- Relies on posting_lookup (workspace_id, collection_id, term); the bound arrays repeat what the policies say.
WITH stats AS MATERIALIZED (
    SELECT coalesce(sum(s.chunk_count), 0)::float8 AS chunks,
           greatest(coalesce(sum(s.term_count)::float8 / nullif(sum(s.chunk_count), 0), 1), 1) AS mean_length
    FROM documents_collectionstats s
    WHERE s.workspace_id = %(workspace)s AND s.collection_id = ANY (%(collections)s::bigint[])
),
hits AS MATERIALIZED (
    SELECT p.term, u.chunk_id, u.frequency::float8 AS frequency, u.length::float8 AS length
    FROM documents_posting p
    JOIN documents_document d ON d.id = p.document_id AND d.workspace_id = %(workspace)s
        AND d.collection_id = ANY (%(collections)s::bigint[]) AND d.deleted_at IS NULL AND d.disabled_at IS NULL
    CROSS JOIN LATERAL unnest(p.chunk_ids, p.frequencies, p.lengths) AS u (chunk_id, frequency, length)
    WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[])
      AND p.term = ANY (%(terms)s::bigint[])
),
weights AS MATERIALIZED (
    SELECT h.term, ln(1 + (greatest(max(s.chunks), count(*)) - count(*) + 0.5) / (count(*) + 0.5)) AS idf
    FROM hits h CROSS JOIN stats s GROUP BY h.term
)
SELECT h.chunk_id,
       sum(w.idf * h.frequency * (%(k1)s::float8 + 1)
           / (h.frequency + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * h.length / s.mean_length))) AS score,
       array_agg(h.term) AS terms
FROM hits h JOIN weights w ON w.term = h.term CROSS JOIN stats s
GROUP BY h.chunk_id
ORDER BY score DESC, h.chunk_id
LIMIT %(limit)s
