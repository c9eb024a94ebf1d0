-- The worker writes where the words of a version stand on its pages.
GRANT UPDATE (boxes) ON documents_version TO footnote_worker;
