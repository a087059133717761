-- The highest sign-in level that one of these scopes of the API requires; 1: any. It is a function, because few scopes
-- require a level, and other requests do not pay for the subquery.
CREATE OR REPLACE FUNCTION "level_of_scopes"("api" TEXT, "names" TEXT[]) RETURNS INTEGER
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN coalesce((
    SELECT max(array_position(ARRAY[{{acr values}}], x."required_acr"))
    FROM "api_scopes" x WHERE x."api_id" = "api" AND x."name" = ANY ("names")
  ), 1);
END $$;
