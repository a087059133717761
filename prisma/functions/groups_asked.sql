-- The groups that an API and its scopes require: {"api": [ids], "scopes": {name: [ids]}}; null: none.
-- combinations_ask_groups calls it.
CREATE OR REPLACE FUNCTION "groups_asked"("of_api" TEXT) RETURNS JSONB
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  of_api_itself CONSTANT TEXT[] := coalesce((SELECT a."groups" FROM "apis" a WHERE a."id" = "of_api"), '{}');
  of_scopes CONSTANT JSONB := (SELECT jsonb_object_agg(x."name", to_jsonb(x."groups")) FROM "api_scopes" x
    WHERE x."api_id" = "of_api" AND x."groups" <> '{}');
BEGIN
  IF of_api_itself = '{}' AND of_scopes IS NULL THEN RETURN NULL; END IF;
  RETURN jsonb_build_object('api', to_jsonb(of_api_itself), 'scopes', coalesce(of_scopes, '{}'));
END $$;
