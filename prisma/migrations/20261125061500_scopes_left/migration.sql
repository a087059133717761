-- Is one of these scopes of a refresh left? Asked only where the simple comparison with the ceiling does not say so: a password
-- grant's scopes are those of its API, and a scope may ask for a stronger sign-in. A function, as in 20261123080000_hot_conditions.
CREATE FUNCTION "a_scope_is_left"("basis" TEXT, "api" TEXT, "names" TEXT[], "ceiling" TEXT[], "strict" BOOLEAN, "level" INTEGER)
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
