-- The sign bits of a vector, made by the database from the stored half-precision vector, and the covering index that the
-- flat Hamming scan reads (docs/retrieval.md).
ALTER TABLE documents_chunkvector ADD COLUMN code varbit
    GENERATED ALWAYS AS (binary_quantize(embedding)::varbit) STORED;
CREATE INDEX vector_scan ON documents_chunkvector (workspace_id, collection_id, model_id) INCLUDE (chunk_id, code);
ALTER TABLE documents_chunkvector ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE documents_posting ALTER COLUMN collection_id SET STATISTICS 1000;
ALTER TABLE documents_posting ALTER COLUMN term SET STATISTICS 1000;

-- A row cannot point across workspaces, collections or documents; a moved document takes everything along.
ALTER TABLE documents_document ADD CONSTRAINT document_collection FOREIGN KEY (workspace_id, collection_id)
    REFERENCES portal_collection (workspace_id, id);
ALTER TABLE documents_version ADD CONSTRAINT version_document FOREIGN KEY (workspace_id, collection_id, document_id)
    REFERENCES documents_document (workspace_id, collection_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
-- Bytes are pointed at by who knows their hash: a version made to point at another member's blob by number is refused.
ALTER TABLE documents_blob ADD CONSTRAINT blob_of_bytes UNIQUE (workspace_id, id, sha256);
ALTER TABLE documents_version ADD CONSTRAINT version_blob FOREIGN KEY (workspace_id, blob_id, sha256)
    REFERENCES documents_blob (workspace_id, id, sha256);
ALTER TABLE documents_chunk ADD CONSTRAINT chunk_version FOREIGN KEY (workspace_id, collection_id, document_id, version_id)
    REFERENCES documents_version (workspace_id, collection_id, document_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE documents_chunkvector ADD CONSTRAINT vector_chunk FOREIGN KEY (workspace_id, collection_id, document_id, chunk_id)
    REFERENCES documents_chunk (workspace_id, collection_id, document_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE documents_posting ADD CONSTRAINT posting_document FOREIGN KEY (workspace_id, collection_id, document_id)
    REFERENCES documents_document (workspace_id, collection_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE documents_collectionstats ADD CONSTRAINT stats_collection FOREIGN KEY (workspace_id, collection_id)
    REFERENCES portal_collection (workspace_id, id) ON DELETE CASCADE;
ALTER TABLE documents_ingestjob ADD CONSTRAINT job_document FOREIGN KEY (workspace_id, collection_id, document_id)
    REFERENCES documents_document (workspace_id, collection_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE documents_ingestjob ADD CONSTRAINT job_version FOREIGN KEY (workspace_id, collection_id, document_id, version_id)
    REFERENCES documents_version (workspace_id, collection_id, document_id, id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE documents_document ADD CONSTRAINT live_version_of_document
    FOREIGN KEY (workspace_id, collection_id, id, live_version_id)
    REFERENCES documents_version (workspace_id, collection_id, document_id, id) DEFERRABLE INITIALLY DEFERRED;
