-- Until when what a person allowed counts. Functions, as in 20261123080000_hot_conditions: a statement pays for one only when it
-- is called, and few subscriptions set a term.
SET LOCAL lock_timeout = '200ms';
-- Scopes that were not among those of the last yes, and when each was allowed last; null: all were.
ALTER TABLE "consents" ADD COLUMN "earlier_scopes" JSONB;

-- The scopes of claims that an `openid` request asked for one by one, as lib/oauth/openid/request.ts has them.
CREATE FUNCTION "scopes_of_claims"("openid" JSONB) RETURNS TEXT[]
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN ARRAY(
    SELECT CASE
        WHEN "claim" IN ('email', 'email_verified') THEN 'email'
        WHEN "claim" = 'address' THEN 'address'
        WHEN "claim" IN ('phone_number', 'phone_number_verified') THEN 'phone'
        ELSE 'profile' END
    FROM jsonb_array_elements_text(coalesce("openid" -> 'idToken', '[]') || coalesce("openid" -> 'userinfo', '[]')) AS "claim"
  );
END $$;

-- When the first of these scopes was allowed last, by the columns of a consent; null: one of them is not.
CREATE FUNCTION "allowed_at"("scopes" TEXT[], "updated" TIMESTAMPTZ, "earlier" JSONB, "wanted" TEXT[], "openid" JSONB)
RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  everything CONSTANT TEXT[] := "wanted" || scopes_of_claims("openid");
BEGIN
  IF NOT "scopes" @> everything THEN RETURN NULL; END IF;
  RETURN coalesce((SELECT min(coalesce(("earlier" ->> "one")::TIMESTAMPTZ, "updated")) FROM unnest(everything) AS "one"), "updated");
END $$;

-- The scopes of a consent that were allowed since then.
CREATE FUNCTION "scopes_since"("scopes" TEXT[], "updated" TIMESTAMPTZ, "earlier" JSONB, "since" TIMESTAMPTZ)
RETURNS TEXT[] LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN ARRAY(SELECT "one" FROM unnest("scopes") AS "one"
    WHERE coalesce(("earlier" ->> "one")::TIMESTAMPTZ, "updated") >= "since");
END $$;

-- When a delegation of the client at the API ends: on its date, or as the subscription's term has it; null: the client has another
-- identity since it was given.
CREATE FUNCTION "delegation_end"("client" TEXT, "api" TEXT, "given" TIMESTAMPTZ, "until" TIMESTAMPTZ)
RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN (
    SELECT least("until", "given" + make_interval(days => s."max_days"))
    FROM "clients" c LEFT JOIN "subscriptions" s ON s."client_id" = c."client_id" AND s."api_id" = "api"
    WHERE c."client_id" = "client" AND (c."identity_changed_at" IS NULL OR "given" >= c."identity_changed_at")
  );
END $$;
