-- Deletes the translations of a name if a statement changes only the plain name, because they translate the old name. A
-- trigger calls it, because such a statement does not know the translations.
CREATE OR REPLACE FUNCTION "name_texts_follow"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW."name" IS DISTINCT FROM OLD."name" AND NEW."name_texts" IS NOT DISTINCT FROM OLD."name_texts" THEN
    NEW."name_texts" := NULL;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "name_texts_follow" BEFORE UPDATE OF "name" ON "auth_methods" FOR EACH ROW
  EXECUTE FUNCTION "name_texts_follow"();
CREATE OR REPLACE TRIGGER "name_texts_follow" BEFORE UPDATE OF "name" ON "apis" FOR EACH ROW
  EXECUTE FUNCTION "name_texts_follow"();
CREATE OR REPLACE TRIGGER "name_texts_follow" BEFORE UPDATE OF "name" ON "clients" FOR EACH ROW
  EXECUTE FUNCTION "name_texts_follow"();
CREATE OR REPLACE TRIGGER "name_texts_follow" BEFORE UPDATE OF "name" ON "groups" FOR EACH ROW
  EXECUTE FUNCTION "name_texts_follow"();
