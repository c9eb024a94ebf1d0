-- The worker writes the address that a page gives itself, where nobody gave it another.
GRANT UPDATE (source_url) ON documents_document TO footnote_worker;
