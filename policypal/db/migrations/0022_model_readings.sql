-- What a model has made of one part of a document that is too large for one request (A0): paid for once, by whoever read it, and gone with
-- the document. The key is made of the model, the task's version and everything the model was shown.
CREATE TABLE model_readings (
    document_id uuid NOT NULL,
    user_id uuid NOT NULL,
    key text NOT NULL,
    told jsonb NOT NULL,
    PRIMARY KEY (document_id, key),
    FOREIGN KEY (document_id, user_id) REFERENCES documents (id, user_id) ON DELETE CASCADE
);

ALTER TABLE model_readings ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON model_readings TO policypal_app
    USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()));
GRANT SELECT, INSERT, UPDATE, DELETE ON model_readings TO policypal_app;
