-- True if the person is in one of the groups that the API names, or the API names none. "asked" is a result of
-- groups_asked. It is a function, because few APIs name groups, and requests for other APIs do not pay for the
-- subquery.
CREATE OR REPLACE FUNCTION "is_of_groups"("asked" JSONB, "person" UUID) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN "asked" -> 'api' = '[]' OR EXISTS (
    SELECT FROM "group_members" g WHERE g."person_id" = "person" AND "asked" -> 'api' ? g."group_id");
END $$;
