-- Deletes a person's trusted browsers when the password changes, because the person may have just found an intruder. A
-- trigger calls it, so that no writer can forget it.
CREATE OR REPLACE FUNCTION "forget_trusted_browsers"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM "trusted_browsers" WHERE "person_id" = NEW."id";
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "trusted_browsers_forgotten" AFTER UPDATE OF "password_changed_at" ON "people" FOR EACH ROW
  WHEN (OLD."password_changed_at" IS DISTINCT FROM NEW."password_changed_at") EXECUTE FUNCTION "forget_trusted_browsers"();
