-- What an analyst decided about a finding (A7): one row per finding that was touched, and everything that was ever changed.
ALTER TABLE findings ADD CONSTRAINT findings_id_user_id_key UNIQUE (id, user_id);

CREATE TABLE finding_triage (
    finding_id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('open', 'in_progress', 'accepted_risk', 'resolved', 'false_positive')),
    owner text NOT NULL,
    due_on date,
    reason text NOT NULL,
    expires_on date,
    evidence text NOT NULL,
    severity text CHECK (severity IN ('Critical', 'High', 'Medium', 'Low')),
    updated_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (finding_id, user_id) REFERENCES findings (id, user_id) ON DELETE CASCADE
);
CREATE INDEX ON finding_triage (user_id, status);

CREATE TABLE triage_history (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    finding_id uuid NOT NULL,
    user_id uuid NOT NULL,
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changes jsonb NOT NULL, -- {"status": ["open", "resolved"]}: before and after, by field
    note text NOT NULL,
    FOREIGN KEY (finding_id, user_id) REFERENCES findings (id, user_id) ON DELETE CASCADE
);
CREATE INDEX ON triage_history (finding_id, id);

DO $$
DECLARE
    table_name text;
BEGIN
    FOREACH table_name IN ARRAY ARRAY['finding_triage', 'triage_history'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %I TO policypal_app USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()))',
            table_name
        );
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO policypal_app', table_name);
    END LOOP;
END
$$;
