-- Deletes the translations of a description if a statement changes only the plain description, because they translate
-- the old text. A trigger calls it, because such a statement does not know the translations.
CREATE OR REPLACE FUNCTION "description_texts_follow"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW."description" IS DISTINCT FROM OLD."description" AND NEW."description_texts" IS NOT DISTINCT FROM OLD."description_texts" THEN
    NEW."description_texts" := NULL;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "description_texts_follow" BEFORE UPDATE OF "description" ON "apis" FOR EACH ROW
  EXECUTE FUNCTION "description_texts_follow"();
CREATE OR REPLACE TRIGGER "description_texts_follow" BEFORE UPDATE OF "description" ON "api_scopes" FOR EACH ROW
  EXECUTE FUNCTION "description_texts_follow"();
