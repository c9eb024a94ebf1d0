-- Those who may write in a collection say how it is searched.
GRANT UPDATE (ranker) ON portal_collection TO footnote_app;
