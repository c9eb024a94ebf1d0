-- P2: what somebody who can write SQL through one of our roles would try (tests/isolation/hostile.py reads this file).
-- A heading `-- group: name` begins a statement. {braces} stand for ids and refs of the planted world: cy is of another
-- workspace, ben of ada's own, whose private things are not hers.

-- reads: join across the workspace
SELECT d.title, c.text FROM documents_document d JOIN documents_chunk c ON c.document_id = d.id WHERE d.workspace_id =
{south}

-- reads: join by number
SELECT c.text FROM generate_series(1, 100000) n JOIN documents_chunk c ON c.id = n

-- reads: subquery in the list
SELECT (SELECT string_agg(text, '') FROM documents_chunk WHERE workspace_id = {south})

-- reads: lateral
SELECT x.text FROM portal_workspace w, LATERAL (SELECT text FROM documents_version WHERE workspace_id = {south}) x

-- reads: with
WITH stolen AS MATERIALIZED (SELECT * FROM answers_answer) SELECT text FROM stolen WHERE user_id = {cy}

-- reads: union
SELECT name FROM portal_collection UNION SELECT text FROM answers_question WHERE user_id IN ({cy}, {ben})

-- reads: set returning
SELECT unnest(array_agg(title)) FROM documents_document WHERE collection_id IN ({cy_private}, {ben_private})

-- reads: recursive
WITH RECURSIVE r AS (SELECT id, text FROM documents_chunk UNION SELECT c.id, c.text FROM documents_chunk c, r WHERE c.id
> r.id) SELECT text FROM r

-- reads: window
SELECT first_value(text) OVER (ORDER BY id DESC) FROM documents_chunk

-- reads: json of a row
SELECT json_agg(d) FROM documents_document d WHERE ref = '{cy_ref}'

-- reads: tablesample
SELECT text FROM documents_chunk TABLESAMPLE BERNOULLI (100)

-- reads: for update
SELECT title FROM documents_document WHERE id = {cy_doc} FOR UPDATE

-- reads: for key share
SELECT title FROM documents_document WHERE id = {ben_doc} FOR KEY SHARE

-- reads: by ctid
SELECT text FROM documents_chunk WHERE ctid = ANY (ARRAY['(0,1)', '(0,2)', '(0,3)', '(0,4)', '(0,5)', '(0,6)']::tid[])

-- reads: only
SELECT text FROM ONLY documents_version WHERE workspace_id = {south}

-- reads: or true
SELECT title FROM documents_document WHERE false OR true

-- reads: copy a table out
COPY documents_chunk TO STDOUT

-- reads: copy a query out
COPY (SELECT text FROM answers_question) TO STDOUT

-- reads: copy to a program
COPY documents_chunk TO PROGRAM 'cat'

-- reads: copy to a file
COPY documents_chunk TO '/tmp/footnote-stolen'

-- reads: explain with its filters
EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) SELECT text FROM documents_chunk WHERE text LIKE '%canary%'

-- reads: the values of a column's statistics
SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats

-- reads: the statistics themselves
SELECT stavalues1::text FROM pg_statistic

-- reads: prepared statement
PREPARE p AS SELECT text FROM documents_chunk WHERE workspace_id = {south}; EXECUTE p

-- reads: prepared with a plan kept
SET plan_cache_mode = force_generic_plan; PREPARE g(bigint) AS SELECT title FROM documents_document WHERE workspace_id =
$1; EXECUTE g({north}); EXECUTE g({south})

-- reads: cursor
DECLARE c CURSOR FOR SELECT text FROM documents_chunk; FETCH ALL FROM c

-- reads: cursor with hold
DECLARE h CURSOR WITH HOLD FOR SELECT text FROM answers_question; FETCH ALL FROM h

-- reads: parallel workers
SET max_parallel_workers_per_gather = 4; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET
min_parallel_table_scan_size = 0; SET debug_parallel_query = on; SELECT text FROM documents_chunk

-- reads: row security off
SET row_security = off; SELECT text FROM documents_chunk

-- reads: the type's input
SELECT null::documents_chunk, (SELECT c FROM documents_chunk c LIMIT 1)

-- reads: table command
TABLE documents_version

-- reads: the fellow members' passwords
SELECT password FROM portal_user

-- reads: every password by its function
SELECT footnote.own_password(id) FROM generate_series(1, 10000) id WHERE id <> {ada}

-- reads: the signing key
SELECT inner_pad, outer_pad FROM footnote.context_key

-- reads: the context function itself
SELECT footnote.ctx()

-- reads: somebody's account by e-mail
SELECT u.* FROM portal_user u WHERE u.id = footnote.user_by_email('cy@example.org')

-- reads: a key's owner by ref alone
SELECT * FROM footnote.api_key_owner('{cy_key_ref}', '')

-- reads: the queue
SELECT * FROM footnote.claim_job('thief', 60) WHERE workspace_id = {south}

-- reads: the key of a workspace
SELECT content_key, question_key FROM portal_workspace WHERE id = {south}

-- oracles: division by zero on hidden rows
SELECT 1 FROM documents_chunk WHERE 1 / (CASE WHEN text LIKE '%canary-cy%' THEN 0 ELSE 1 END) = 1

-- oracles: cast of hidden text
SELECT 1 FROM documents_version WHERE workspace_id = {south} AND text::int > 0

-- oracles: cast in an order
SELECT 1 FROM answers_question WHERE user_id <> {ada} ORDER BY text::xid8::text::bigint

-- oracles: regular expression on hidden text
SELECT 1 FROM documents_document WHERE regexp_count(title, 'canary-(cy|ben)-') > 0

-- oracles: cheap function first
SELECT pg_input_is_valid(text, 'int') FROM documents_chunk WHERE workspace_id = {south}

-- oracles: error text of a json path
SELECT title::jsonb FROM documents_document WHERE collection_id = {cy_private}

-- oracles: unique name elsewhere
INSERT INTO documents_document (workspace_id, collection_id, ref, name, name_key, title, kind, source_url, state,
problem, problem_detail, chunk_count, vector_count, unread_pages, created_at, updated_at) SELECT {south}, {cy_shared},
'probe', 'x', '{cy_name}', '', 'text', '', 'queued', '', '', 0, 0, 0, now(), now()

-- oracles: on conflict update of a foreign row
INSERT INTO portal_collection (workspace_id, ref, name, kind, splitter, max_tokens, overlap_tokens, created_at) VALUES
({north}, '{cy_collection_ref}', 'x', 'shared', 'structure', 250, 30, now()) ON CONFLICT (ref) DO UPDATE SET name =
'taken' RETURNING portal_collection.*

-- oracles: on conflict do nothing returning
INSERT INTO portal_collection (workspace_id, ref, name, kind, splitter, max_tokens, overlap_tokens, created_at) VALUES
({north}, '{cy_collection_ref}', 'x', 'shared', 'structure', 250, 30, now()) ON CONFLICT DO NOTHING RETURNING name

-- oracles: foreign key to a hidden collection
INSERT INTO portal_grant (workspace_id, collection_id, user_id, may_edit) VALUES ({north}, {cy_shared}, {ada}, true)

-- oracles: foreign key to a hidden person
INSERT INTO portal_grant (workspace_id, collection_id, user_id, may_edit) VALUES ({north}, {own_shared}, {cy}, true)

-- oracles: a document by another's name
UPDATE documents_document SET created_by_id = {cy} WHERE workspace_id = {north}

-- oracles: merge
MERGE INTO answers_question q USING (SELECT {cy} AS u) s ON q.user_id = s.u WHEN MATCHED THEN DELETE RETURNING q.text

-- rights: set role owner
SET ROLE footnote_owner; SELECT text FROM documents_chunk

-- rights: set role definer
SET ROLE footnote_definer; SELECT email FROM portal_user

-- rights: set role backup
SET ROLE footnote_backup; SELECT text FROM documents_chunk

-- rights: session authorization
SET SESSION AUTHORIZATION postgres

-- rights: reset role
RESET ROLE; RESET SESSION AUTHORIZATION; SELECT text FROM documents_chunk

-- rights: role by set_config
SELECT set_config('role', 'footnote_owner', false)

-- rights: row_security by set_config
SELECT set_config('row_security', 'off', false)

-- rights: replication role
SET session_replication_role = replica; DELETE FROM documents_document

-- rights: alter the table
ALTER TABLE documents_chunk DISABLE ROW LEVEL SECURITY

-- rights: alter the policy
ALTER POLICY app_sees ON documents_document USING (true)

-- rights: drop the policy
DROP POLICY serve_sees ON documents_chunk

-- rights: create a policy
CREATE POLICY mine ON documents_chunk TO PUBLIC USING (true)

-- rights: alter own role
ALTER ROLE CURRENT_USER BYPASSRLS

-- rights: settings of another role
ALTER ROLE footnote_owner SET search_path = 'mine'

-- rights: password of another role
ALTER ROLE footnote_owner PASSWORD 'known'

-- rights: create a role
CREATE ROLE thief LOGIN SUPERUSER

-- rights: grant a table
GRANT ALL ON documents_chunk TO PUBLIC

-- rights: grant a role
GRANT footnote_owner TO CURRENT_USER

-- rights: create a function
CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'

-- rights: create a function in footnote
CREATE FUNCTION footnote.f() RETURNS int LANGUAGE sql AS 'SELECT 1'

-- rights: replace a context function
CREATE OR REPLACE FUNCTION footnote.ctx_workspace() RETURNS bigint LANGUAGE sql AS 'SELECT {south}'

-- rights: do block
DO $$ BEGIN PERFORM 1; END $$

-- rights: temp table
CREATE TEMP TABLE t AS SELECT 1

-- rights: temp view
CREATE TEMP VIEW v AS SELECT * FROM documents_chunk

-- rights: table
CREATE TABLE public.t (x int)

-- rights: select into
SELECT 1 AS x INTO public.t

-- rights: schema
CREATE SCHEMA mine

-- rights: extension
CREATE EXTENSION dblink

-- rights: untrusted language
CREATE LANGUAGE plpython3u

-- rights: trigger
CREATE TRIGGER t BEFORE INSERT ON answers_question FOR EACH ROW EXECUTE FUNCTION footnote.redact_citations()

-- rights: rule
CREATE RULE r AS ON SELECT TO documents_chunk DO INSTEAD SELECT 1

-- rights: event trigger
CREATE EVENT TRIGGER t ON ddl_command_start EXECUTE FUNCTION footnote.redact_citations()

-- rights: foreign data wrapper
CREATE FOREIGN DATA WRAPPER w

-- rights: subscription
CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1' PUBLICATION p

-- rights: publication
CREATE PUBLICATION p FOR ALL TABLES

-- rights: drop a table
DROP TABLE answers_question CASCADE

-- rights: drop a function
DROP FUNCTION footnote.ctx_user()

-- rights: truncate
TRUNCATE answers_question CASCADE

-- rights: comment
COMMENT ON TABLE documents_chunk IS 'mine'

-- rights: security label
SECURITY LABEL ON TABLE documents_chunk IS 'x'

-- rights: statistics object
CREATE STATISTICS s ON id, text FROM documents_chunk

-- rights: index
CREATE INDEX i ON documents_chunk (text)

-- rights: vacuum
VACUUM documents_chunk

-- rights: analyze
ANALYZE documents_chunk

-- rights: reassign
REASSIGN OWNED BY footnote_owner TO CURRENT_USER

-- rights: default privileges
ALTER DEFAULT PRIVILEGES FOR ROLE footnote_owner GRANT ALL ON TABLES TO PUBLIC

-- rights: alter system
ALTER SYSTEM SET log_statement = 'all'

-- rights: alter database
ALTER DATABASE {database} SET row_security = off

-- rights: load a library
LOAD 'dblink'

-- system: activity
SELECT query FROM pg_stat_activity

-- system: activity by function
SELECT * FROM pg_stat_get_activity(NULL)

-- system: table statistics
SELECT * FROM pg_stat_user_tables

-- system: live rows
SELECT pg_stat_get_live_tuples('documents_chunk'::regclass)

-- system: volumes by size
SELECT pg_total_relation_size('documents_chunk')

-- system: volumes by sequence
SELECT nextval('documents_document_id_seq')

-- system: volumes by sequence's last value
SELECT last_value FROM documents_document_id_seq

-- system: sequences
SELECT * FROM pg_sequences

-- system: set a sequence back
SELECT setval('documents_document_id_seq', 1)

-- system: locks
SELECT * FROM pg_lock_status()

-- system: prepared statements of the session
SELECT * FROM pg_prepared_statement()

-- system: settings
SELECT * FROM pg_show_all_settings()

-- system: terminate
SELECT pg_terminate_backend(pid) FROM generate_series(1, 100000) pid

-- system: cancel
SELECT pg_cancel_backend(pid) FROM generate_series(1, 100000) pid

-- system: sleep
SELECT pg_sleep(20)

-- system: notify by function
SELECT pg_notify('x', 'y')

-- system: advisory lock
SELECT pg_advisory_lock(1)

-- system: try advisory lock
SELECT pg_try_advisory_lock_shared(1)

-- system: large object
SELECT lo_from_bytea(0, 'x')

-- system: large object read
SELECT lo_get(oid) FROM pg_largeobject_metadata

-- system: large object import
SELECT lo_import('/etc/passwd')

-- system: read a file
SELECT pg_read_file('/etc/passwd')

-- system: list files
SELECT * FROM pg_ls_dir('.')

-- system: stat a file
SELECT * FROM pg_stat_file('PG_VERSION')

-- system: roles' hashes
SELECT rolname, rolpassword FROM pg_authid

-- system: shadow
SELECT * FROM pg_shadow

-- system: write-ahead log
SELECT pg_logical_emit_message(false, 'x', 'y')

-- system: wal position
SELECT pg_current_wal_lsn()

-- system: replication slot
SELECT pg_create_physical_replication_slot('x')

-- system: decode changes
SELECT * FROM pg_logical_slot_get_changes('x', NULL, NULL)

-- system: export a snapshot
SELECT pg_export_snapshot()

-- system: sql inside an expression
SELECT query_to_xml('SELECT text FROM documents_chunk', true, false, '')

-- system: the whole database as xml
SELECT database_to_xml(true, false, '')

-- system: sql inside a text search
SELECT word FROM ts_stat('SELECT to_tsvector(text) FROM documents_chunk')

-- system: sql inside a rewrite
SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, text::tsquery FROM documents_chunk')

-- system: restore statistics
SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', 'documents_chunk', 'reltuples', 1::real)

-- system: reload
SELECT pg_reload_conf()

-- system: config files
SELECT * FROM pg_hba_file_rules

-- system: backend memory
SELECT * FROM pg_backend_memory_contexts

-- system: the log
SELECT pg_current_logfile()

-- system: upgrade functions
SELECT pg_stop_making_pinned_objects()

-- system: two-phase
PREPARE TRANSACTION 'x'

-- system: the context as text
SELECT current_setting('footnote.ctx', true) FROM documents_document WHERE workspace_id = {south}

-- writes: delete a foreign question
DELETE FROM answers_question WHERE user_id IN ({cy}, {ben}) RETURNING text

-- writes: delete a foreign key
DELETE FROM portal_apikey WHERE user_id <> {ada}

-- writes: delete a foreign session
DELETE FROM django_session

-- writes: lengthen every session
UPDATE django_session SET expire_date = now() + interval '1 year' RETURNING session_data

-- writes: copy a session
INSERT INTO django_session SELECT '{known_session}', session_data, expire_date FROM django_session LIMIT 1

-- writes: a session under a chosen name
INSERT INTO django_session VALUES ('{known_session}', 'x', now())

-- writes: overwrite with a join
UPDATE documents_document d SET title = 'x' FROM portal_workspace w WHERE d.workspace_id = w.id AND d.id IN ({cy_doc},
{ben_doc}) RETURNING d.title

-- writes: move an own document into a foreign collection
UPDATE documents_document SET collection_id = {cy_shared} WHERE id = {own_doc}

-- writes: move an own document into ben's private collection
UPDATE documents_document SET collection_id = {ben_private} WHERE id = {own_doc}

-- writes: move the own collection away
UPDATE portal_collection SET workspace_id = {south} WHERE id = {own_private}

-- writes: take ben's collection
UPDATE portal_collection SET owner_id = {ada} WHERE id = {ben_private}

-- writes: open ben's collection
UPDATE portal_collection SET kind = 'shared' WHERE id IN ({ben_private}, {cy_private})

-- writes: grant oneself ben's collection
INSERT INTO portal_grant (workspace_id, collection_id, user_id, may_edit) VALUES ({north}, {ben_private}, {ada}, true)

-- writes: make oneself a member
INSERT INTO portal_membership (workspace_id, user_id, role, state, created_at) VALUES ({south}, {ada}, 'owner',
'active', now())

-- writes: make the stranger a member to read the account
INSERT INTO portal_membership (workspace_id, user_id, role, state, created_at) VALUES ({north}, {cy}, 'reader',
'active', now())

-- writes: turn the own membership
UPDATE portal_membership SET workspace_id = {south} WHERE user_id = {ada}

-- writes: rise in the other workspace
UPDATE portal_membership SET role = 'owner' WHERE workspace_id = {south}

-- writes: become staff
UPDATE portal_user SET is_staff = true WHERE id = {ada}

-- writes: become somebody
UPDATE portal_user SET email = 'cy@example.org' WHERE id = {ada}

-- writes: set another's password
UPDATE portal_user SET password = 'x' WHERE id <> {ada}

-- writes: close another's account
UPDATE portal_user SET is_active = false WHERE id <> {ada}

-- writes: make an account
INSERT INTO portal_user (email, password, name, is_active, is_staff, joined_at) VALUES ('thief@example.org', 'x', '',
true, true, now())

-- writes: rename the other workspace
UPDATE portal_workspace SET name = 'x' WHERE id = {south}

-- writes: make a workspace
INSERT INTO portal_workspace (ref, name, content_key, question_key, created_at) VALUES ('x', 'x', '', '', now())

-- writes: a key for cy
INSERT INTO portal_apikey (workspace_id, user_id, ref, name, secret_sha256, scopes, created_at) VALUES ({south}, {cy},
'thief', 'x', sha256('x'), '{{read}}', now())

-- writes: a key for ben
INSERT INTO portal_apikey (workspace_id, user_id, ref, name, secret_sha256, scopes, created_at) VALUES ({north}, {ben},
'thief', 'x', sha256('x'), '{{read}}', now())

-- writes: widen another's key
UPDATE portal_apikey SET scopes = '{{admin}}', collection_ids = NULL, secret_sha256 = sha256('x')

-- writes: a question in cy's name
INSERT INTO answers_question (workspace_id, user_id, ref, q_hash, q_len, text, language, collection_ids, asked_at)
VALUES ({south}, {cy}, 'thief', '', 1, 'x', '', '{{}}', now())

-- writes: an answer to cy's question
INSERT INTO answers_trace (workspace_id, user_id, answer_id, stages, created_at) VALUES ({north}, {ada}, {cy_answer},
'[]', now())

-- writes: a version over ben's bytes
INSERT INTO documents_version (workspace_id, collection_id, document_id, ref, number, blob_id, file_name, sha256,
size_bytes, text, language, report, pipeline, created_at) VALUES ({north}, {own_private}, {own_doc}, 'thief', 9,
{ben_blob}, 'x', sha256('guess'), 1, '', '', '{{}}', 1, now())

-- writes: a version over cy's bytes
INSERT INTO documents_version (workspace_id, collection_id, document_id, ref, number, blob_id, file_name, sha256,
size_bytes, text, language, report, pipeline, created_at) VALUES ({north}, {own_private}, {own_doc}, 'thief', 9,
{cy_blob}, 'x', sha256('guess'), 1, '', '', '{{}}', 1, now())

-- writes: a job on ben's version
INSERT INTO documents_ingestjob (workspace_id, collection_id, document_id, version_id, ref, kind, state, stage, attempt,
crashes, retries, claimed_by, next_try_at, problem, created_at) VALUES ({north}, {own_private}, {own_doc},
{ben_version}, 'thief', 'ingest', 'queued', '', 0, 0, 0, '', now(), '', now())

-- writes: a job on cy's document
INSERT INTO documents_ingestjob (workspace_id, collection_id, document_id, ref, kind, state, stage, attempt, crashes,
retries, claimed_by, next_try_at, problem, created_at) VALUES ({south}, {cy_private}, {cy_doc}, 'thief', 'remove',
'queued', '', 0, 0, 0, '', now(), '', now())

-- writes: a chunk in cy's document
INSERT INTO documents_chunk (workspace_id, collection_id, document_id, version_id, ordinal, fingerprint, occurrence,
kind, heading_path, start_at, end_at, text, prefix, language, term_count) VALUES ({south}, {cy_private}, {cy_doc},
{cy_version}, 7, 'x', 0, 'prose', '{{}}', 0, 1, 'x', '', '', 1)

-- writes: a chunk in ben's document
INSERT INTO documents_chunk (workspace_id, collection_id, document_id, version_id, ordinal, fingerprint, occurrence,
kind, heading_path, start_at, end_at, text, prefix, language, term_count) VALUES ({north}, {ben_private}, {ben_doc},
{ben_version}, 7, 'x', 0, 'prose', '{{}}', 0, 1, 'x', '', '', 1)

-- writes: statistics of another collection
UPDATE documents_collectionstats SET collection_id = {ben_private}, chunk_count = 9 WHERE collection_id = {own_private}

-- writes: redact cy's citations
UPDATE documents_document SET deleted_at = now() WHERE id IN ({cy_doc}, {ben_doc})

-- writes: redact by the function
SELECT footnote.redact_citations()

-- writes: stop others' jobs
SELECT footnote.stop_poison()

-- writes: bytes in another workspace
INSERT INTO documents_blob (workspace_id, sha256, key, size_bytes, created_at) VALUES ({south}, 'x', 'thief', 1, now())

-- writes: the signing key replaced
INSERT INTO footnote.context_key VALUES ('2', repeat('x', 64)::bytea, repeat('x', 64)::bytea, false)

-- writes: the signing key changed
UPDATE footnote.context_key SET binds_pid = false

-- writes: an audit line of cy's
INSERT INTO portal_auditevent (workspace_id, user_id, action, object_ref, detail, at) VALUES ({south}, {cy}, 'x', '',
'{{}}', now())

-- writes: the model of everybody
UPDATE documents_embeddingmodel SET state = 'retired'

-- writes: the model of everybody, by the operator's function
SELECT footnote.switch_embedding_model((SELECT name FROM documents_embeddingmodel LIMIT 1), true)

-- writes: a model of the own
SELECT footnote.fill_embedding_model('thief', 3, '{{}}')

-- writes: jobs for everybody's documents
SELECT footnote.queue_beside((SELECT min(id) FROM documents_embeddingmodel))

-- writes: how much everybody has
SELECT * FROM footnote.embedding_progress()

-- writes: the migrations
DELETE FROM django_migrations

-- writes: copy in
COPY portal_collection FROM STDIN

-- writes: writable transaction
SET TRANSACTION READ WRITE; SET default_transaction_read_only = off; DELETE FROM documents_chunk

-- reads: whom south invites
SELECT ref, note, role FROM portal_invitation WHERE workspace_id = {south}

-- writes: an invitation into south
INSERT INTO portal_invitation (workspace_id, ref, secret_sha256, role, note, invited_by_id, created_at, expires_at)
VALUES ({south}, 'thief', sha256('thief'), 'owner', '', {cy}, now(), now() + interval '1 day')

-- writes: an invitation in the name of a fellow member
INSERT INTO portal_invitation (workspace_id, ref, secret_sha256, role, note, invited_by_id, created_at, expires_at)
VALUES ({north}, 'thief', sha256('thief'), 'owner', '', {ben}, now(), now() + interval '1 day')

-- writes: an invitation that lasts for years
INSERT INTO portal_invitation (workspace_id, ref, secret_sha256, role, note, invited_by_id, created_at, expires_at)
VALUES ({north}, 'thief', sha256('thief'), 'owner', '', {ada}, now(), now() + interval '9 years')

-- writes: an invitation made wider
UPDATE portal_invitation SET role = 'owner', expires_at = now() + interval '9 years'

-- writes: south's invitations withdrawn
DELETE FROM portal_invitation WHERE workspace_id = {south}

-- writes: somebody let in without an invitation
SELECT footnote.admit(sha256('thief'), {ada}, 'aaaaaaaaaaaaaaaaaa')

-- writes: let in with a guess
SELECT footnote.accept_invitation(sha256('thief'), 'aaaaaaaaaaaaaaaaaa')

-- writes: an account with a guess
SELECT footnote.join_as(sha256('thief'), 'thief@example.org', '', 'x', 'aaaaaaaaaaaaaaaaaa')
