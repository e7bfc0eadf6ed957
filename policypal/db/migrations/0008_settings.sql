-- What a person allows models to cost in a month (M7). NULL: only the installation's limit holds.
CREATE TABLE budgets (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    monthly_usd numeric(10, 2) CHECK (monthly_usd >= 0),
    continue_without_model boolean NOT NULL DEFAULT false,
    updated_at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE budgets ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON budgets TO policypal_app
    USING (user_id = (SELECT current_user_id())) WITH CHECK (user_id = (SELECT current_user_id()));
GRANT SELECT, INSERT, UPDATE, DELETE ON budgets TO policypal_app;

-- What people consumed whose data was deleted: amounts without a name, so that deleting one's data neither refills the
-- installation's budget nor a search provider's quota. Only the owner's functions below touch it.
CREATE TABLE unnamed_consumption (
    month date NOT NULL,
    kind text NOT NULL, -- 'usd', or a search provider's name
    amount numeric NOT NULL,
    PRIMARY KEY (month, kind)
);
ALTER TABLE unnamed_consumption ENABLE ROW LEVEL SECURITY;

CREATE INDEX usage_month ON usage (created_at);

CREATE FUNCTION this_month() RETURNS date LANGUAGE sql STABLE SET search_path = policypal, pg_temp AS
$$ SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date $$;

CREATE FUNCTION spent_by_all() RETURNS numeric
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = policypal, pg_temp AS
$$
    SELECT coalesce((SELECT sum(cost_usd) FROM usage WHERE created_at >= this_month()::timestamp AT TIME ZONE 'UTC'), 0)
         + coalesce((SELECT amount FROM unnamed_consumption WHERE month = this_month() AND kind = 'usd'), 0)
$$;

CREATE OR REPLACE FUNCTION web_searches_in(wanted_month date) RETURNS TABLE (provider text, searches bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = policypal, pg_temp AS
$$
    SELECT counted.provider, sum(counted.searches)::bigint
    FROM (
        SELECT u.provider, u.searches::numeric FROM web_usage u WHERE u.month = wanted_month
        UNION ALL
        SELECT n.kind, n.amount FROM unnamed_consumption n WHERE n.month = wanted_month AND n.kind <> 'usd'
    ) AS counted (provider, searches)
    GROUP BY counted.provider
$$;

-- Adds what the current user has consumed this month to the unnamed amounts; called while that user's rows are deleted.
CREATE FUNCTION keep_unnamed_consumption() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = policypal, pg_temp AS
$$
    INSERT INTO unnamed_consumption AS kept (month, kind, amount)
    SELECT this_month(), consumed.kind, consumed.amount
    FROM (
        SELECT 'usd' AS kind, sum(u.cost_usd) AS amount FROM usage u
        WHERE u.user_id = current_user_id() AND u.created_at >= this_month()::timestamp AT TIME ZONE 'UTC'
        UNION ALL
        SELECT w.provider, w.searches FROM web_usage w WHERE w.user_id = current_user_id() AND w.month = this_month()
    ) AS consumed
    WHERE consumed.amount > 0
    ON CONFLICT (month, kind) DO UPDATE SET amount = kept.amount + excluded.amount
$$;

REVOKE EXECUTE ON FUNCTION spent_by_all(), keep_unnamed_consumption() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION this_month(), spent_by_all(), keep_unnamed_consumption() TO policypal_app;
