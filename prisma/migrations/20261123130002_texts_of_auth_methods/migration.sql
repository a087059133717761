SET LOCAL lock_timeout = '200ms';
ALTER TABLE "auth_methods" ADD COLUMN "name_texts" TEXT;

CREATE FUNCTION "auth_methods_texts_follow"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW."name" IS DISTINCT FROM OLD."name" AND NEW."name_texts" IS NOT DISTINCT FROM OLD."name_texts" THEN
    NEW."name_texts" := NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "texts_follow" BEFORE UPDATE OF "name" ON "auth_methods" FOR EACH ROW
  EXECUTE FUNCTION "auth_methods_texts_follow"();
