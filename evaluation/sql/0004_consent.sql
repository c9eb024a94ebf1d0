-- A member's consent to offer every question of theirs, the offer itself, and its withdrawal; and what a judge said before.
DO $$
DECLARE
    name text;
    here text := 'workspace_id = (SELECT footnote.ctx_workspace())';
    mine text := 'user_id = (SELECT footnote.ctx_user())';
    edits text := '(SELECT footnote.ctx_role()) IN (''owner'', ''editor'')';
BEGIN
    FOREACH name IN ARRAY ARRAY['consent', 'judgement'] LOOP
        EXECUTE format('ALTER TABLE evaluation_%s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY owner_all ON evaluation_%s TO footnote_owner USING (true) WITH CHECK (true)', name);
    END LOOP;
    EXECUTE 'CREATE POLICY app_own ON evaluation_consent TO footnote_app USING (' || here || ' AND ' || mine || ') WITH CHECK ('
        || here || ' AND ' || mine || ')';
    EXECUTE 'CREATE POLICY app_sees ON evaluation_judgement FOR SELECT TO footnote_app USING (' || here || ' AND ' || edits || ')';
    EXECUTE 'CREATE POLICY app_adds ON evaluation_judgement FOR INSERT TO footnote_app WITH CHECK (' || here || ' AND ' || edits || ')';
END $$;
GRANT SELECT, INSERT, DELETE ON evaluation_consent TO footnote_app;
GRANT SELECT, INSERT ON evaluation_judgement TO footnote_app;
ALTER TABLE evaluation_consent ADD CONSTRAINT consent_of_member FOREIGN KEY (workspace_id, user_id)
    REFERENCES portal_membership (workspace_id, user_id) ON DELETE CASCADE;

-- At the end of the asker's own transaction, in the asker's own rights: an answer becomes an offer while the consent stands.
CREATE FUNCTION footnote.offer_question() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.evaluation_feedback (workspace_id, user_id, ref, answer_ref, question_text, language, outcome, kind, reason,
        comment, passages, collection_ids, state, created_at)
    SELECT NEW.workspace_id, NEW.user_id, left(encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), 18), NEW.ref,
        q.text, q.language, NEW.outcome, 'offer', '', '', '[]'::jsonb,
        coalesce((SELECT array_agg(DISTINCT c.collection_id ORDER BY c.collection_id) FROM public.answers_citation c
                  WHERE c.answer_id = NEW.id AND NOT c.redacted), '{}'), 'new', clock_timestamp()
    FROM public.answers_question q
    WHERE q.id = NEW.question_id AND NEW.outcome IN ('answered', 'declined')
      AND EXISTS (SELECT FROM public.evaluation_consent o WHERE o.workspace_id = NEW.workspace_id AND o.user_id = NEW.user_id)
    ON CONFLICT (user_id, answer_ref) DO NOTHING;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER offer_question AFTER INSERT ON answers_answer
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION footnote.offer_question();

-- A withdrawn offer takes its words out of every golden set that they were put into unread; what an editor made of it stays.
CREATE FUNCTION footnote.withdraw_offer() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.evaluation_goldenquestion SET text = '(withdrawn by its asker)'
    WHERE workspace_id = OLD.workspace_id AND key = 'o-' || OLD.ref AND origin = 'offer';
    RETURN NULL;
END $$;
CREATE TRIGGER withdraw_offer AFTER DELETE ON evaluation_feedback
    FOR EACH ROW WHEN (OLD.kind = 'offer') EXECUTE FUNCTION footnote.withdraw_offer();
REVOKE ALL ON FUNCTION footnote.offer_question(), footnote.withdraw_offer() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION footnote.offer_question() TO footnote_app;
ALTER FUNCTION footnote.withdraw_offer() OWNER TO footnote_definer;
