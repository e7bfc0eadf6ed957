-- PolicyPal's tables. Every row belongs to a user; row-level security enforces it (X1).
-- The role `policypal_app` is neither owner nor superuser; every application transaction switches to it
-- and sets `app.user_id` for that transaction only, so a transaction pooler cannot leak it.

DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'policypal_app') THEN
        CREATE ROLE policypal_app NOLOGIN NOSUPERUSER NOBYPASSRLS;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL; -- another database of the same server created it at this moment
END
$$;
DO $$ BEGIN EXECUTE format('GRANT policypal_app TO %I', current_user); END $$;
GRANT USAGE ON SCHEMA policypal TO policypal_app;

CREATE FUNCTION current_user_id() RETURNS uuid LANGUAGE sql STABLE AS
$$ SELECT nullif(current_setting('app.user_id', true), '')::uuid $$;

CREATE TABLE users (
    id uuid PRIMARY KEY,
    email text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE profiles (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    company text NOT NULL DEFAULT '',
    country text NOT NULL DEFAULT '',
    industry text NOT NULL DEFAULT '',
    description text NOT NULL DEFAULT '',
    asked boolean NOT NULL DEFAULT false,
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE sets (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL CHECK (length(trim(name)) BETWEEN 1 AND 100),
    colour text NOT NULL CHECK (colour ~ '^#[0-9A-Fa-f]{6}$'),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, user_id)
);
CREATE UNIQUE INDEX sets_name ON sets (user_id, lower(name));

CREATE TABLE documents (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    title text NOT NULL CHECK (length(trim(title)) BETWEEN 1 AND 300),
    version text NOT NULL DEFAULT '' CHECK (length(version) <= 100),
    type text NOT NULL CHECK (type IN ('regulatory', 'company')),
    set_id uuid,
    aliases text[] NOT NULL DEFAULT '{}',
    tags text[] NOT NULL DEFAULT '{}',
    filename text NOT NULL,
    media_type text NOT NULL,
    sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    size_bytes bigint NOT NULL,
    storage_key text NOT NULL,
    unlocked_key text, -- a copy without its password, made when the analyst entered it
    status text NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'extracting', 'chunking', 'embedding', 'ready', 'failed')),
    progress real NOT NULL DEFAULT 0,
    reason text,
    reason_code text,
    pages integer NOT NULL DEFAULT 0,
    pages_without_text integer NOT NULL DEFAULT 0,
    chunks integer NOT NULL DEFAULT 0,
    previous_version_id uuid,
    is_sample boolean NOT NULL DEFAULT false,
    is_titled boolean NOT NULL DEFAULT true, -- false: nobody gave a title, the document's own may replace it
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (user_id, sha256),
    UNIQUE (id, user_id),
    -- the user's id is part of the key, so that no row can point at another user's
    FOREIGN KEY (set_id, user_id) REFERENCES sets (id, user_id) ON DELETE SET NULL (set_id),
    FOREIGN KEY (previous_version_id, user_id) REFERENCES documents (id, user_id)
        ON DELETE SET NULL (previous_version_id)
);

CREATE TABLE pages (
    document_id uuid NOT NULL,
    user_id uuid NOT NULL,
    number integer NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (document_id, number),
    FOREIGN KEY (document_id, user_id) REFERENCES documents (id, user_id) ON DELETE CASCADE
);

CREATE TABLE chunks (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    document_id uuid NOT NULL,
    ordinal integer NOT NULL,
    page integer NOT NULL,
    start_offset integer NOT NULL, -- code points into the page's text
    end_offset integer NOT NULL,
    heading text,
    text text NOT NULL,
    term_count integer NOT NULL,
    UNIQUE (document_id, ordinal),
    FOREIGN KEY (document_id, user_id) REFERENCES documents (id, user_id) ON DELETE CASCADE
);

-- BM25 document weights at hashed term positions. A table of its own keeps the rows small and the scan fast.
CREATE TABLE lexical_vectors (
    chunk_id uuid PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    user_id uuid NOT NULL,
    document_id uuid NOT NULL,
    lexical sparsevec(536870912) NOT NULL
);
ALTER TABLE lexical_vectors ALTER COLUMN lexical SET STORAGE MAIN;
CREATE INDEX lexical_vectors_document ON lexical_vectors (user_id, document_id);

-- The model is a column: vectors of several models live side by side and are never mixed (R3).
CREATE TABLE embeddings (
    chunk_id uuid NOT NULL REFERENCES chunks ON DELETE CASCADE,
    user_id uuid NOT NULL,
    document_id uuid NOT NULL,
    model text NOT NULL,
    embedding halfvec NOT NULL, -- half precision: half the memory to scan, the same ranking
    PRIMARY KEY (chunk_id, model)
);
CREATE INDEX embeddings_document ON embeddings (user_id, model, document_id);

-- Term statistics for idf. Document weights use a fixed reference length, so they never need to be recomputed.
CREATE TABLE lexical_terms (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    position integer NOT NULL,
    chunks integer NOT NULL,
    PRIMARY KEY (user_id, position)
);
CREATE TABLE lexical_corpora (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    chunks bigint NOT NULL DEFAULT 0
);

CREATE TABLE conversations (
    thread_id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    title text NOT NULL DEFAULT 'New conversation',
    created_at timestamptz NOT NULL DEFAULT now(),
    last_message_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (thread_id, user_id)
);
CREATE INDEX conversations_recent ON conversations (user_id, last_message_at DESC);

-- One running run per thread: the partial index is the lease (U6).
CREATE TABLE runs (
    run_id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('running', 'interrupted', 'finished', 'failed', 'stopped')),
    owner text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    heartbeat_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    FOREIGN KEY (thread_id, user_id) REFERENCES conversations (thread_id, user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX runs_one_per_thread ON runs (thread_id) WHERE status = 'running';

CREATE TABLE messages (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    position bigint GENERATED ALWAYS AS IDENTITY,
    user_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    run_id uuid,
    role text NOT NULL CHECK (role IN ('user', 'assistant', 'pal_assist', 'error')),
    content text NOT NULL,
    payload jsonb NOT NULL DEFAULT '{}',
    idempotency_key text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (user_id, idempotency_key),
    FOREIGN KEY (thread_id, user_id) REFERENCES conversations (thread_id, user_id) ON DELETE CASCADE
);
CREATE INDEX messages_thread ON messages (thread_id, position);

CREATE TABLE interrupt_answers (
    interrupt_id text PRIMARY KEY, -- an interrupt is answered once, whoever clicks how often (G9)
    user_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    answer jsonb NOT NULL,
    answered_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (thread_id, user_id) REFERENCES conversations (thread_id, user_id) ON DELETE CASCADE
);

CREATE TABLE execution_traces (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    run_id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    seconds double precision NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (thread_id, user_id) REFERENCES conversations (thread_id, user_id) ON DELETE CASCADE
);
CREATE INDEX execution_traces_run ON execution_traces (run_id, id);

-- Reports outlive the conversation and the documents they were made from (A5, D10).
CREATE TABLE audit_reports (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    thread_id uuid,
    title text NOT NULL,
    overall_status text NOT NULL,
    summary text NOT NULL,
    body jsonb NOT NULL, -- the report without its findings: targets, themes, documents with SHA-256, engine, cost …
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, user_id)
);
CREATE INDEX audit_reports_recent ON audit_reports (user_id, created_at DESC);

CREATE TABLE findings (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    report_id uuid NOT NULL,
    ordinal integer NOT NULL,
    severity text NOT NULL CHECK (severity IN ('Critical', 'High', 'Medium', 'Low')),
    kind text NOT NULL CHECK (kind IN ('conflict', 'gap')),
    target_document text NOT NULL,
    theme text NOT NULL,
    body jsonb NOT NULL,
    UNIQUE (report_id, ordinal),
    FOREIGN KEY (report_id, user_id) REFERENCES audit_reports (id, user_id) ON DELETE CASCADE
);

CREATE TABLE usage (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    thread_id uuid,
    run_id uuid,
    task text NOT NULL,
    engine text NOT NULL,
    model text NOT NULL,
    prompt_version text NOT NULL,
    input_tokens integer NOT NULL,
    output_tokens integer NOT NULL,
    cost_usd numeric(14, 8) NOT NULL,
    seconds double precision NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX usage_recent ON usage (user_id, created_at DESC);

DO $$
DECLARE
    table_name text;
BEGIN
    FOREACH table_name IN ARRAY ARRAY[
        'users', 'profiles', 'sets', 'documents', 'pages', 'chunks', 'lexical_vectors', 'embeddings', 'lexical_terms',
        'lexical_corpora', 'conversations', 'runs', 'messages', 'interrupt_answers', 'execution_traces',
        'audit_reports', 'findings', 'usage'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
        -- the sub-select is evaluated once per statement instead of once per row
        EXECUTE format(
            'CREATE POLICY own_rows ON %1$I TO policypal_app USING (%2$I = (SELECT current_user_id())) WITH CHECK (%2$I = (SELECT current_user_id()))',
            table_name, CASE table_name WHEN 'users' THEN 'id' ELSE 'user_id' END
        );
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO policypal_app', table_name);
    END LOOP;
END
$$;
