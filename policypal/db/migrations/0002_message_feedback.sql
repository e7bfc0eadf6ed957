-- What an analyst thought of an answer (U2). It belongs to the message and goes with it.
ALTER TABLE messages ADD CONSTRAINT messages_id_user_id_key UNIQUE (id, user_id);

CREATE TABLE message_feedback (
    message_id uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    helpful boolean NOT NULL,
    comment text NOT NULL DEFAULT '' CHECK (length(comment) <= 2000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (message_id, user_id) REFERENCES messages (id, user_id) ON DELETE CASCADE
);

ALTER TABLE message_feedback ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON message_feedback TO policypal_app
    USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()));
GRANT SELECT, INSERT, UPDATE, DELETE ON message_feedback TO policypal_app;
