-- The end of the client's delegation at the API: its date, or the limit of the subscription; null: the client's
-- identity has changed since. The statements that issue tokens, list delegations and end delegations share this rule.
CREATE OR REPLACE FUNCTION "delegation_end"("client" TEXT, "api" TEXT, "given" TIMESTAMPTZ, "until" TIMESTAMPTZ)
RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN (
    SELECT least("until", "given" + make_interval(days => s."max_days"))
    FROM "clients" c LEFT JOIN "subscriptions" s ON s."client_id" = c."client_id" AND s."api_id" = "api"
    WHERE c."client_id" = "client" AND (c."identity_changed_at" IS NULL OR "given" >= c."identity_changed_at")
  );
END $$;
