-- Is the person in one of the groups that the API names? "asked" is what groups_asked gives. Where the API itself names
-- none, everybody is. A function, because few APIs name groups: the others do not pay for the subquery.
CREATE OR REPLACE FUNCTION "is_of_groups"("asked" JSONB, "person" UUID) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN "asked" -> 'api' = '[]' OR EXISTS (
    SELECT FROM "group_members" g WHERE g."person_id" = "person" AND "asked" -> 'api' ? g."group_id");
END $$;
