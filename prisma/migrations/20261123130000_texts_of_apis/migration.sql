SET LOCAL lock_timeout = '200ms';
-- Texts by language beside the plain one: JSON as text, in the operator's order.
ALTER TABLE "apis" ADD COLUMN "name_texts" TEXT, ADD COLUMN "description_texts" TEXT;

-- A writer that knows one text only, such as the version before, changes the plain one: the others are about what it said before,
-- and go.
CREATE FUNCTION "apis_texts_follow"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW."name" IS DISTINCT FROM OLD."name" AND NEW."name_texts" IS NOT DISTINCT FROM OLD."name_texts" THEN
    NEW."name_texts" := NULL;
  END IF;
  IF NEW."description" IS DISTINCT FROM OLD."description" AND NEW."description_texts" IS NOT DISTINCT FROM OLD."description_texts" THEN
    NEW."description_texts" := NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "texts_follow" BEFORE UPDATE OF "name", "description" ON "apis" FOR EACH ROW
  EXECUTE FUNCTION "apis_texts_follow"();
