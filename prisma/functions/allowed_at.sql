-- When the first of these scopes was allowed last, by the columns of a consent; null: one of them is not.
-- A function, because few subscriptions set a term: the others do not pay for it.
CREATE OR REPLACE FUNCTION "allowed_at"("scopes" TEXT[], "updated" TIMESTAMPTZ, "earlier" JSONB, "wanted" TEXT[], "openid" JSONB)
RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  everything CONSTANT TEXT[] := "wanted" || scopes_of_claims("openid");
BEGIN
  IF NOT "scopes" @> everything THEN RETURN NULL; END IF;
  RETURN coalesce((SELECT min(coalesce(("earlier" ->> "one")::TIMESTAMPTZ, "updated")) FROM unnest(everything) AS "one"), "updated");
END $$;
