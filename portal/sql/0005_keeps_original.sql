-- Who may write to a collection decides whether its files are kept.
GRANT UPDATE (keeps_original) ON portal_collection TO footnote_app;
