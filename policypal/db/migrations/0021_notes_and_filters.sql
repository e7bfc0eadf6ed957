-- What an analyst noted on a provision (D15); without words, the provision is marked only. ``anchor`` is made of the provision's words,
-- so that a note outlives the reading it was made on; ``label`` and ``quote`` say where it stood when it can no longer be placed.
CREATE TABLE provision_notes (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    document_id uuid NOT NULL,
    anchor text NOT NULL,
    label text NOT NULL,
    quote text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (document_id, user_id) REFERENCES documents (id, user_id) ON DELETE CASCADE
);
CREATE INDEX ON provision_notes (document_id, created_at);

-- What somebody chose and keeps under a name: the filters of an audit's findings (A7).
CREATE TABLE saved_choices (
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind text NOT NULL,
    name text NOT NULL,
    choice jsonb NOT NULL,
    PRIMARY KEY (user_id, kind, name)
);

DO $$
DECLARE
    table_name text;
BEGIN
    FOREACH table_name IN ARRAY ARRAY['provision_notes', 'saved_choices'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %I TO policypal_app USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()))',
            table_name
        );
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO policypal_app', table_name);
    END LOOP;
END
$$;
