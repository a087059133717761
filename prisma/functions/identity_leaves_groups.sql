-- Removes group memberships that rules derived from an identity. This happens when the identity is unlinked or moved to
-- another person, or its method switches to another verifier or broker. A trigger calls it, so that no statement can
-- forget it.
CREATE OR REPLACE FUNCTION "identity_leaves_groups"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM "group_members" g WHERE g."person_id" = OLD."person_id" AND g."origin" = OLD."auth_method_id";
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "groups_left" AFTER DELETE ON "external_identities" FOR EACH ROW
  EXECUTE FUNCTION "identity_leaves_groups"();
CREATE OR REPLACE TRIGGER "groups_left_by_update" AFTER UPDATE OF "person_id" ON "external_identities" FOR EACH ROW
  WHEN (OLD."person_id" IS DISTINCT FROM NEW."person_id") EXECUTE FUNCTION "identity_leaves_groups"();
