-- What everybody together has used this month of models whose price is not known: no budget in dollars counts it (R4b, M7).
CREATE FUNCTION unpriced_tokens_of_all() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = policypal, pg_temp AS
$$
    SELECT coalesce(sum(input_tokens + output_tokens), 0)::bigint
    FROM usage WHERE cost_usd = 0 AND created_at >= this_month()::timestamp AT TIME ZONE 'UTC'
$$;
REVOKE EXECUTE ON FUNCTION unpriced_tokens_of_all() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION unpriced_tokens_of_all() TO policypal_app;
