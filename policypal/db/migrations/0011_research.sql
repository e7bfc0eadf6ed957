-- Research reports (W). A research thread is a conversation of its own kind: the same runs, messages and traces.
ALTER TABLE conversations ADD COLUMN kind text NOT NULL DEFAULT 'chat' CHECK (kind IN ('chat', 'research'));
DROP INDEX conversations_recent;
CREATE INDEX conversations_recent ON conversations (user_id, kind, last_message_at DESC);

CREATE TABLE research_threads (
    thread_id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    goal text NOT NULL CHECK (length(trim(goal)) > 0),
    mode text NOT NULL CHECK (mode IN ('auto', 'plan')),
    document_ids uuid[] NOT NULL DEFAULT '{}', -- of the library that may be used; all if empty
    without_model boolean NOT NULL DEFAULT false,
    parent_thread_id uuid, -- forked from it, at this checkpoint, after this step
    parent_checkpoint_id text,
    forked_at text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (thread_id, user_id),
    FOREIGN KEY (thread_id, user_id) REFERENCES conversations (thread_id, user_id) ON DELETE CASCADE,
    -- a fork outlives the thread it came from
    FOREIGN KEY (parent_thread_id, user_id) REFERENCES research_threads (thread_id, user_id)
        ON DELETE SET NULL (parent_thread_id)
);
CREATE INDEX research_threads_recent ON research_threads (user_id, created_at DESC);
CREATE INDEX research_threads_parent ON research_threads (parent_thread_id) WHERE parent_thread_id IS NOT NULL;

-- A report has versions: written by a run, once each, or edited by hand.
CREATE TABLE research_reports (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    run_id uuid,
    version integer NOT NULL CHECK (version > 0),
    title text NOT NULL,
    markdown text NOT NULL,
    origin text NOT NULL CHECK (origin IN ('written', 'edited')),
    engine text NOT NULL DEFAULT '',
    body jsonb NOT NULL, -- sections, citations, sources, contradictions, issues
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, user_id),
    UNIQUE (thread_id, version),
    UNIQUE (thread_id, run_id),
    FOREIGN KEY (thread_id, user_id) REFERENCES research_threads (thread_id, user_id) ON DELETE CASCADE
);

DO $$
DECLARE
    table_name text;
BEGIN
    FOREACH table_name IN ARRAY ARRAY['research_threads', 'research_reports'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %I TO policypal_app USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()))',
            table_name
        );
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO policypal_app', table_name);
    END LOOP;
END
$$;
