-- The scopes that the person's groups permit, in the same order. "asked" is a result of groups_asked. It is a function
-- for the same reason as is_of_groups.
CREATE OR REPLACE FUNCTION "scopes_of_groups"("asked" JSONB, "person" UUID, "names" TEXT[]) RETURNS TEXT[]
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  mine TEXT[];
BEGIN
  IF NOT "is_of_groups"("asked", "person") THEN RETURN '{}'; END IF;
  IF NOT "asked" -> 'scopes' ?| "names" THEN RETURN "names"; END IF;
  mine := ARRAY(SELECT g."group_id" FROM "group_members" g WHERE g."person_id" = "person");
  RETURN ARRAY(SELECT n."one" FROM unnest("names") WITH ORDINALITY AS n ("one", "at")
    WHERE NOT "asked" -> 'scopes' ? n."one" OR "asked" -> 'scopes' -> n."one" ?| mine ORDER BY n."at");
END $$;
