-- The scopes of a consent that were allowed since then.
-- A function, because few subscriptions set a term: the others do not pay for it.
CREATE OR REPLACE FUNCTION "scopes_since"("scopes" TEXT[], "updated" TIMESTAMPTZ, "earlier" JSONB, "since" TIMESTAMPTZ)
RETURNS TEXT[] LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN ARRAY(SELECT "one" FROM unnest("scopes") AS "one"
    WHERE coalesce(("earlier" ->> "one")::TIMESTAMPTZ, "updated") >= "since");
END $$;
