REVOKE ALL ON FUNCTION footnote.redact_written(), footnote.spent_this_month() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION footnote.spent_this_month() TO footnote_app;
ALTER FUNCTION footnote.redact_written() OWNER TO footnote_definer;
ALTER FUNCTION footnote.spent_this_month() OWNER TO footnote_definer;
