-- What a model read otherwise than the rules in the register of a document (D12): one row per request that was answered, by the key of the
-- request, so that none is paid for twice. ``marks`` by entry: {"obliges", "party", "reason"}.
CREATE TABLE register_readings (
    document_id uuid NOT NULL,
    user_id uuid NOT NULL,
    request text NOT NULL,
    model text NOT NULL,
    marks jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_id, request),
    FOREIGN KEY (document_id, user_id) REFERENCES documents (id, user_id) ON DELETE CASCADE
);
ALTER TABLE register_readings ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON register_readings TO policypal_app
    USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()));
GRANT SELECT, INSERT, UPDATE, DELETE ON register_readings TO policypal_app;
