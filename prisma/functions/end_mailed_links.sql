-- Revokes links that were mailed to a person if the password or the address changes, or the person is disabled. A
-- trigger calls it, so that no writer can forget it. A new hash of the same password does not change
-- password_changed_at.
CREATE OR REPLACE FUNCTION "end_mailed_links"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "mail_tokens" WHERE "person_id" = NEW."id";
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "mailed_links_end" AFTER UPDATE OF "password_changed_at", "email", "disabled_at" ON "people" FOR EACH ROW
  WHEN (OLD."password_changed_at" IS DISTINCT FROM NEW."password_changed_at" OR OLD."email" IS DISTINCT FROM NEW."email"
    OR (OLD."disabled_at" IS NULL AND NEW."disabled_at" IS NOT NULL))
  EXECUTE FUNCTION "end_mailed_links"();
