-- Flat scan by Hamming distance of the sign bits, inside vector_scan alone, then the exact cosine of the nearest.
-- `reach` grows by `gone_vectors`, what is deleted and not yet removed or switched off, so that the list still holds min(limit, visible).
-- With documents or chunks named only these are scanned; without, the clauses fold away and the index is all that is read.
-- The nearest are looked up one by one by vector_once and no document is joined: the planner takes a collection for two rows when the
-- table holds a thousand others, and would read and compare every vector of it.
-- `expected` is the distance that the straight line through the nearest (cosine distance over Hamming distance) gives at the last of
-- them, `spread` how far they lie off that line: retrieval/dense.py judges by them whether the scan reached far enough.
WITH near AS MATERIALIZED (
    SELECT v.chunk_id, v.code <~> %(code)s::varbit AS bits FROM documents_chunkvector v
    WHERE v.workspace_id = %(workspace)s AND v.collection_id = ANY (%(collections)s::bigint[]) AND v.model_id = %(model)s
      AND (%(documents)s::bigint[] IS NULL OR v.document_id = ANY (%(documents)s::bigint[]))
      AND (%(chunks)s::bigint[] IS NULL OR v.chunk_id = ANY (%(chunks)s::bigint[]))
    ORDER BY bits, v.chunk_id
    LIMIT %(reach)s::int + %(gone_vectors)s::int
),
seen AS MATERIALIZED (
    SELECT n.chunk_id, n.bits, v.distance FROM near n CROSS JOIN LATERAL (
        SELECT v.embedding <=> %(vector)s::halfvec AS distance FROM documents_chunkvector v
        WHERE v.chunk_id = n.chunk_id AND v.model_id = %(model)s
          AND v.workspace_id = %(workspace)s AND v.collection_id = ANY (%(collections)s::bigint[])
          AND v.document_id <> ALL (%(gone)s::bigint[])
        OFFSET 0) v
),
line AS MATERIALIZED (
    SELECT regr_intercept(s.distance, s.bits) + regr_slope(s.distance, s.bits) * max(s.bits) AS expected,
           sqrt(greatest(regr_syy(s.distance, s.bits) - regr_slope(s.distance, s.bits) * regr_sxy(s.distance, s.bits), 0)
               / greatest(count(*), 1)) AS spread, count(*) AS scanned
    FROM seen s
)
SELECT s.chunk_id, 1 - s.distance, l.expected, l.spread, l.scanned
FROM seen s CROSS JOIN line l
ORDER BY s.distance, s.chunk_id
LIMIT %(limit)s
