-- Postings are read inside covering indexes (docs/adr/0015-postings-inside-the-index.md): the rows of a common word lie one by one
-- in the table and side by side in the index. Those of one chunk, which are most, as plain numbers; the others as their arrays, which
-- is why a row names at most a hundred chunks: an index entry has room for 2,700 bytes.
ALTER TABLE documents_posting
    ADD COLUMN only_chunk bigint GENERATED ALWAYS AS (CASE WHEN cardinality(chunk_ids) = 1 THEN chunk_ids[1] END) STORED,
    ADD COLUMN only_frequency smallint GENERATED ALWAYS AS (CASE WHEN cardinality(chunk_ids) = 1 THEN frequencies[1] END) STORED,
    ADD COLUMN only_length integer GENERATED ALWAYS AS (CASE WHEN cardinality(chunk_ids) = 1 THEN lengths[1] END) STORED;
DROP INDEX posting_lookup;
INSERT INTO documents_posting (workspace_id, collection_id, document_id, term, chunk_ids, frequencies, lengths)
SELECT p.workspace_id, p.collection_id, p.document_id, p.term,
       p.chunk_ids[s:s + 99], p.frequencies[s:s + 99], p.lengths[s:s + 99]
FROM documents_posting p CROSS JOIN LATERAL generate_series(1, p.chunk_count, 100) AS s
WHERE p.chunk_count > 100;
DELETE FROM documents_posting WHERE chunk_count > 100;
ALTER TABLE documents_posting ADD CONSTRAINT posting_fits_index CHECK (cardinality(chunk_ids) <= 100);
CREATE INDEX posting_lookup ON documents_posting (workspace_id, collection_id, term)
    INCLUDE (document_id, only_chunk, only_frequency, only_length) WHERE chunk_count = 1;
CREATE INDEX posting_lookup_many ON documents_posting (workspace_id, collection_id, term)
    INCLUDE (document_id, chunk_ids, frequencies, lengths) WHERE chunk_count > 1;

-- An index is read without its table where the table's pages are known to be visible to all, which vacuum marks: after every
-- twentieth of new rows, not every fifth.
ALTER TABLE documents_posting SET (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_insert_threshold = 20000);
ALTER TABLE documents_chunkvector SET (autovacuum_vacuum_insert_scale_factor = 0.05);

-- Nothing looks a term up inside a document any more; a document's postings are only removed.
DROP INDEX posting_of_document;
CREATE INDEX posting_of_document ON documents_posting (document_id);
