-- What a person's research has found and read on the web, kept for a while (W3, W7): what a provider answered, and pages by
-- their normalised address, or why they cannot be read. Keys are digests: addresses and queries may be longer than an index
-- entry. Everybody has their own: what others look for is nobody's business (X1).
CREATE TABLE web_search_cache (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    key text NOT NULL,
    hits jsonb NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX web_search_cache_expiry ON web_search_cache (expires_at);

CREATE TABLE web_page_cache (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    key text NOT NULL,
    harvested jsonb NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX web_page_cache_expiry ON web_page_cache (expires_at);

ALTER TABLE web_search_cache ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON web_search_cache TO policypal_app
    USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()));
GRANT SELECT, INSERT, UPDATE, DELETE ON web_search_cache TO policypal_app;

ALTER TABLE web_page_cache ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON web_page_cache TO policypal_app
    USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()));
GRANT SELECT, INSERT, UPDATE, DELETE ON web_page_cache TO policypal_app;
