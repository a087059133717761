SET LOCAL lock_timeout = '200ms';
ALTER TABLE "api_scopes" ADD COLUMN "description_texts" TEXT;

CREATE FUNCTION "api_scopes_texts_follow"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW."description" IS DISTINCT FROM OLD."description" AND NEW."description_texts" IS NOT DISTINCT FROM OLD."description_texts" THEN
    NEW."description_texts" := NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "texts_follow" BEFORE UPDATE OF "description" ON "api_scopes" FOR EACH ROW
  EXECUTE FUNCTION "api_scopes_texts_follow"();
