-- Members who may write in a collection tag its documents; the database holds what documents/tags.py promises.
GRANT UPDATE (tags) ON documents_document TO footnote_app;
ALTER TABLE documents_document ADD CONSTRAINT sane_tags CHECK (cardinality(tags) <= 20 AND array_position(tags, NULL) IS NULL);
