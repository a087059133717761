-- True if at least one of these scopes remains for a refresh. A password grant has the scopes of its API; a scope may
-- require a stronger sign-in. It is a function, because a statement pays for each subquery in its plan, and for a
-- function only when it is called. The comparison with the ceiling decides most refreshes without a call.
CREATE OR REPLACE FUNCTION "a_scope_is_left"("basis" TEXT, "api" TEXT, "names" TEXT[], "ceiling" TEXT[], "strict" BOOLEAN, "level" INTEGER)
RETURNS BOOLEAN LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM unnest("names") AS "one"
    WHERE CASE WHEN "basis" = 'password'
        THEN EXISTS (SELECT FROM "api_scopes" x WHERE x."api_id" = "api" AND x."name" = "one")
        ELSE "one" = ANY ("ceiling") END
      AND NOT ("strict" AND level_of_scopes("api", ARRAY["one"]) > coalesce("level", 1))
  );
END $$;
