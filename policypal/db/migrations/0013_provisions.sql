-- Provisions: what a document says, sentence by sentence (D11). Texts stand in the pages; a sentence is a place and what it does.
-- The version of the reader that made them: older ones serve until a background job has read the document again.
ALTER TABLE documents ADD COLUMN reader_version integer NOT NULL DEFAULT 0;

-- The titles of a document's own table of contents, so that it can be read again without its file.
CREATE TABLE outlines (
    document_id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    titles text[] NOT NULL,
    FOREIGN KEY (document_id, user_id) REFERENCES documents (id, user_id) ON DELETE CASCADE
);

CREATE TABLE provisions (
    document_id uuid NOT NULL,
    user_id uuid NOT NULL,
    ordinal integer NOT NULL CHECK (ordinal > 0),
    label text NOT NULL,
    headings text[] NOT NULL,
    page integer NOT NULL,
    -- [number, page, start, end, kind, introduction, introduces, party], offsets in code points of the page
    sentences jsonb NOT NULL,
    PRIMARY KEY (document_id, ordinal),
    FOREIGN KEY (document_id, user_id) REFERENCES documents (id, user_id) ON DELETE CASCADE
);

-- What an analyst changed in the register of a document (D12). ``entry`` is made of the sentence's words, so that a change outlives
-- the reading it was made on; of what was added it is the row's own id.
CREATE TABLE register_changes (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    document_id uuid NOT NULL,
    entry text NOT NULL,
    text text NOT NULL, -- the sentence as it was read, or what was added
    is_added boolean NOT NULL DEFAULT false,
    is_struck boolean NOT NULL DEFAULT false,
    merged_into text NOT NULL DEFAULT '',
    kind text,
    party text,
    note text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (document_id, entry),
    FOREIGN KEY (document_id, user_id) REFERENCES documents (id, user_id) ON DELETE CASCADE
);

DO $$
DECLARE
    table_name text;
BEGIN
    FOREACH table_name IN ARRAY ARRAY['outlines', 'provisions', 'register_changes'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %I TO policypal_app USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()))',
            table_name
        );
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO policypal_app', table_name);
    END LOOP;
END
$$;
