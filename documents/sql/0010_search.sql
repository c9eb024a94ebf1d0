-- What the read side needs of the index (docs/retrieval.md).
--
-- How many chunks a posting names, kept beside the term in posting_lookup: document frequencies are summed inside the index,
-- and the postings of a term that most chunks hold are read for a few candidates alone, by posting_of_document.
ALTER TABLE documents_posting ADD COLUMN chunk_count integer GENERATED ALWAYS AS (cardinality(chunk_ids)) STORED;
DROP INDEX posting_lookup;
CREATE INDEX posting_lookup ON documents_posting (workspace_id, collection_id, term) INCLUDE (document_id, chunk_count);
CREATE INDEX posting_of_document ON documents_posting (document_id, term);

-- What is deleted and not yet removed, or switched off, is looked up by every search.
CREATE INDEX document_gone ON documents_document (workspace_id, collection_id)
    WHERE deleted_at IS NOT NULL OR disabled_at IS NOT NULL;

-- A version's language, validity and text, for filters, for "as of" a date and for a passage that is joined with the next.
GRANT SELECT (id, workspace_id, collection_id, document_id, number, language, valid_from, valid_to, text)
    ON documents_version TO footnote_serve;
CREATE POLICY serve_sees ON documents_version FOR SELECT TO footnote_serve USING (
    workspace_id = (SELECT footnote.ctx_workspace())
    AND collection_id = ANY ((SELECT footnote.ctx_collections())::bigint[]));

-- The nearest passages for programs that speak SQL, in the asker's context: what they do not see is not there for them.
-- The k nearest first, then the threshold: a passage below it is left out, never replaced by a farther one.
CREATE FUNCTION footnote.match_documents(query_embedding vector, match_threshold float8 DEFAULT 0.5, match_count int DEFAULT 5)
RETURNS TABLE (chunk_id bigint, document_ref varchar, title varchar, heading_path text[], page int, content text,
    source_url varchar, similarity float8)
LANGUAGE sql STABLE PARALLEL RESTRICTED SECURITY INVOKER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH model AS MATERIALIZED (SELECT m.id FROM documents_embeddingmodel m WHERE m.state = 'live'),
    seen AS MATERIALIZED (SELECT footnote.ctx_workspace() AS workspace, footnote.ctx_collections()::bigint[] AS collections),
    asked AS MATERIALIZED (SELECT query_embedding::halfvec AS embedding, binary_quantize(query_embedding)::varbit AS code),
    gone AS MATERIALIZED (
        SELECT coalesce(sum(d.vector_count), 0)::int AS vectors FROM documents_document d
        WHERE d.workspace_id = (SELECT workspace FROM seen) AND d.collection_id = ANY ((SELECT collections FROM seen)::bigint[])
          AND (d.deleted_at IS NOT NULL OR d.disabled_at IS NOT NULL)
    ),
    near AS MATERIALIZED (
        SELECT v.chunk_id FROM documents_chunkvector v
        WHERE v.workspace_id = (SELECT workspace FROM seen) AND v.collection_id = ANY ((SELECT collections FROM seen)::bigint[])
          AND v.model_id = (SELECT id FROM model)
        ORDER BY v.code <~> (SELECT code FROM asked), v.chunk_id
        LIMIT greatest(1000, match_count) + (SELECT vectors FROM gone)
    ),
    best AS (
        SELECT c.id, d.ref, coalesce(nullif(d.title, ''), d.name) AS title, c.heading_path, c.page, c.text,
               coalesce(nullif(c.source_url, ''), d.source_url) AS source_url,
               1 - (v.embedding <=> (SELECT embedding FROM asked)) AS similarity
        FROM near n
        JOIN documents_chunkvector v ON v.chunk_id = n.chunk_id AND v.model_id = (SELECT id FROM model)
        JOIN documents_chunk c ON c.id = v.chunk_id
        JOIN documents_document d ON d.id = v.document_id AND d.deleted_at IS NULL AND d.disabled_at IS NULL AND d.live_version_id = c.version_id
        ORDER BY v.embedding <=> (SELECT embedding FROM asked), v.chunk_id
        LIMIT greatest(match_count, 0)
    )
    SELECT b.id, b.ref, b.title, b.heading_path, b.page, b.text, b.source_url, b.similarity
    FROM best b WHERE b.similarity >= match_threshold ORDER BY b.similarity DESC, b.id
$$;
REVOKE ALL ON FUNCTION footnote.match_documents(vector, float8, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION footnote.match_documents(vector, float8, int) TO footnote_serve, footnote_app;
