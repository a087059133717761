-- When a delegation of the client at the API ends: on its date, or by the subscription's term; null: the client has had
-- another identity since. One rule for the statements that give tokens, list delegations and end them.
CREATE OR REPLACE FUNCTION "delegation_end"("client" TEXT, "api" TEXT, "given" TIMESTAMPTZ, "until" TIMESTAMPTZ)
RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN (
    SELECT least("until", "given" + make_interval(days => s."max_days"))
    FROM "clients" c LEFT JOIN "subscriptions" s ON s."client_id" = c."client_id" AND s."api_id" = "api"
    WHERE c."client_id" = "client" AND (c."identity_changed_at" IS NULL OR "given" >= c."identity_changed_at")
  );
END $$;
