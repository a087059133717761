-- Is one of these scopes of a refresh left? A password grant's scopes are those of its API; a scope may ask for a
-- stronger sign-in. A function, because a statement pays for each subquery in its plan, and for a function only when it
-- is called: the comparison with the ceiling answers most refreshes.
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
