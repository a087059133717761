-- The scopes of a consent that were allowed since a given time. It is a function, because few subscriptions limit a
-- consent's duration, and requests for other subscriptions do not pay for it.
CREATE OR REPLACE FUNCTION "scopes_since"("scopes" TEXT[], "updated" TIMESTAMPTZ, "earlier" JSONB, "since" TIMESTAMPTZ)
RETURNS TEXT[] LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN ARRAY(SELECT "one" FROM unnest("scopes") AS "one"
    WHERE coalesce(("earlier" ->> "one")::TIMESTAMPTZ, "updated") >= "since");
END $$;
