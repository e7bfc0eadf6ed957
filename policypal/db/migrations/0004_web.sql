-- Web searches by user, provider and month (U9). The provider's quota is the installation's, so the sum over all users is
-- told by a function of the owner; the rows themselves stay everybody's own (X1).
CREATE TABLE web_usage (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    provider text NOT NULL,
    month date NOT NULL,
    searches integer NOT NULL CHECK (searches >= 0),
    PRIMARY KEY (user_id, provider, month)
);
CREATE INDEX web_usage_month ON web_usage (month, provider);

ALTER TABLE web_usage ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON web_usage TO policypal_app
    USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()));
GRANT SELECT, INSERT, UPDATE, DELETE ON web_usage TO policypal_app;

CREATE FUNCTION web_searches_in(wanted_month date) RETURNS TABLE (provider text, searches bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = policypal, pg_temp AS
$$ SELECT u.provider, sum(u.searches)::bigint FROM web_usage u WHERE u.month = wanted_month GROUP BY u.provider $$;
REVOKE EXECUTE ON FUNCTION web_searches_in(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION web_searches_in(date) TO policypal_app;
