-- The list by words: BM25 (Robertson & Zaragoza 2009, eq. 3.15) or TF-IDF, by a formula and with weights
-- from retrieval/lexical.py. What the asker cannot see changes nothing. Read inside posting_lookup and posting_lookup_many alone;
-- the OFFSET keeps each term a scan of its own, whose weight is known before its rows are read.
-- With a vector the list's chunks come with their exact cosine, by vector_once. After the list, in no order of its own, come the chunks
-- of `also` with a score, is_listed false: also those that the list names already.
WITH wanted AS (
    SELECT w.term, w.weight, w.bit
    FROM unnest(%(terms)s::bigint[], %(weights)s::float8[], %(bits)s::{bits}[]) AS w (term, weight, bit)
),
posting AS (
    SELECT w.weight, w.bit, p.only_chunk AS chunk_id, p.only_frequency AS frequency, p.only_length AS length
    FROM wanted w CROSS JOIN LATERAL (
        SELECT p.only_chunk, p.only_frequency, p.only_length FROM documents_posting p
        WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[]) AND p.term = w.term
          AND p.chunk_count = 1 AND p.document_id <> ALL (%(gone)s::bigint[])
          AND (%(documents)s::bigint[] IS NULL OR p.document_id = ANY (%(documents)s::bigint[]))
        OFFSET 0) p
    UNION ALL
    SELECT w.weight, w.bit, unnest(p.chunk_ids), unnest(p.frequencies), unnest(p.lengths)
    FROM wanted w CROSS JOIN LATERAL (
        SELECT p.chunk_ids, p.frequencies, p.lengths FROM documents_posting p
        WHERE p.workspace_id = %(workspace)s AND p.collection_id = ANY (%(collections)s::bigint[]) AND p.term = w.term
          AND p.chunk_count > 1 AND p.document_id <> ALL (%(gone)s::bigint[])
          AND (%(documents)s::bigint[] IS NULL OR p.document_id = ANY (%(documents)s::bigint[]))
        OFFSET 0) p
),
scored AS MATERIALIZED (
    SELECT p.chunk_id, sum({score}) AS score, bit_or(p.bit) AS bits
    FROM posting p
    WHERE %(chunks)s::bigint[] IS NULL OR p.chunk_id = ANY (%(chunks)s::bigint[])
    GROUP BY p.chunk_id
),
listed AS MATERIALIZED (SELECT s.chunk_id, s.score, s.bits FROM scored s ORDER BY s.score DESC, s.chunk_id LIMIT %(limit)s)
SELECT l.chunk_id, l.score, l.bits, true AS is_listed, v.similarity
FROM listed l LEFT JOIN LATERAL (
    SELECT 1 - (v.embedding <=> %(vector)s::halfvec) AS similarity FROM documents_chunkvector v
    WHERE v.chunk_id = l.chunk_id AND v.model_id = %(model)s
      AND v.workspace_id = %(workspace)s AND v.collection_id = ANY (%(collections)s::bigint[])
    OFFSET 0) v ON true
UNION ALL
SELECT s.chunk_id, s.score, s.bits, false, NULL FROM scored s WHERE s.chunk_id = ANY (%(also)s::bigint[])
