-- Who is signed in, one row per browser (R6). The browser holds a secret; here are its digest and, encrypted under a key
-- made from the same secret, the tokens: a copy of this table signs nobody in.
CREATE TABLE sign_ins (
    id bytea PRIMARY KEY CHECK (length(id) = 32),
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    sealed bytea NOT NULL,
    claimed_until timestamptz, -- the script that renews the tokens: refresh tokens work once (R6)
    created_at timestamptz NOT NULL DEFAULT now(),
    renewed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_ins_user ON sign_ins (user_id, renewed_at);

ALTER TABLE sign_ins ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON sign_ins TO policypal_app
    USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()));
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_ins TO policypal_app;
