-- A deleted document can be taken back for thirty days (D10). Until it is removed for good, row-level security hides it, so
-- that no query of the application's role can forget to; only a transaction that says so sees it.
ALTER TABLE documents ADD COLUMN deleted_at timestamptz;
CREATE INDEX documents_deleted ON documents (user_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE POLICY not_deleted ON documents AS RESTRICTIVE TO policypal_app
    USING (deleted_at IS NULL OR (SELECT current_setting('app.deleted_documents', true)) = 'shown');

-- A search looks at chunks before it looks at documents, so it must be told which of them are hidden.
CREATE FUNCTION deleted_documents() RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path = policypal, pg_temp AS
$$ SELECT id FROM documents WHERE user_id = current_user_id() AND deleted_at IS NOT NULL $$;
REVOKE EXECUTE ON FUNCTION deleted_documents() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deleted_documents() TO policypal_app;

CREATE INDEX documents_previous_version ON documents (previous_version_id) WHERE previous_version_id IS NOT NULL;
