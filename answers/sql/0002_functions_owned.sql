REVOKE ALL ON FUNCTION footnote.redact_citations() FROM PUBLIC;
ALTER FUNCTION footnote.redact_citations() OWNER TO footnote_definer;
