-- The earliest time at which one of these scopes was last allowed, by the columns of a consent; null: one of the scopes
-- is not allowed. It is a function, because few subscriptions limit a consent's duration, and requests for other
-- subscriptions do not pay for it.
CREATE OR REPLACE FUNCTION "allowed_at"("scopes" TEXT[], "updated" TIMESTAMPTZ, "earlier" JSONB, "wanted" TEXT[], "openid" JSONB)
RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  everything CONSTANT TEXT[] := "wanted" || scopes_of_claims("openid");
BEGIN
  IF NOT "scopes" @> everything THEN RETURN NULL; END IF;
  RETURN coalesce((SELECT min(coalesce(("earlier" ->> "one")::TIMESTAMPTZ, "updated")) FROM unnest(everything) AS "one"), "updated");
END $$;
