-- Maintains the shared namespace of ids, user names and kept subjects: the primary key of people_names rejects a name
-- that another person has. A trigger calls it, so that no writer of people can forget it. The function lower() uses the
-- collation "C", because a Turkish collation turns I into ı. Two people may share a name from before people_names
-- existed: if its holder is deleted, the other person gets the name.
CREATE OR REPLACE FUNCTION "take_names"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  freed text[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "people_names" ("name", "person_id")
      SELECT DISTINCT n."name", m."id" FROM "made" m, unnest(ARRAY[m."id"::text, m."username", lower(m."subject" COLLATE "C")]) AS n("name")
      WHERE n."name" IS NOT NULL;
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' THEN
    freed := array_remove(ARRAY[OLD."id"::text, OLD."username", lower(OLD."subject" COLLATE "C")], NULL);
    -- two look-ups by index, because an OR would read the whole table for each deleted person
    INSERT INTO "people_names" ("name", "person_id")
      SELECT p."name", p."id" FROM (
        SELECT "username" AS "name", "id", "created_at" FROM "people" WHERE "username" = ANY (freed)
        UNION ALL SELECT lower("subject" COLLATE "C"), "id", "created_at" FROM "people"
          WHERE "subject" = ANY (freed || OLD."subject" || upper(OLD."subject" COLLATE "C") || upper(OLD."username"))
      ) p ORDER BY p."created_at", p."id" ON CONFLICT DO NOTHING;
    RETURN NULL;
  END IF;
  DELETE FROM "people_names" n WHERE n."person_id" = NEW."id" AND n."name" IN (OLD."username", lower(OLD."subject" COLLATE "C"))
    AND n."name" NOT IN (NEW."id"::text, coalesce(NEW."username", ''), coalesce(lower(NEW."subject" COLLATE "C"), ''));
  INSERT INTO "people_names" ("name", "person_id")
    SELECT DISTINCT n."name", NEW."id" FROM unnest(ARRAY[
      CASE WHEN NEW."username" IS DISTINCT FROM OLD."username" THEN NEW."username" END,
      CASE WHEN NEW."subject" IS DISTINCT FROM OLD."subject" THEN lower(NEW."subject" COLLATE "C") END]) AS n("name")
    WHERE n."name" IS NOT NULL
      AND NOT EXISTS (SELECT FROM "people_names" o WHERE o."name" = n."name" AND o."person_id" = NEW."id");
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "names_taken" AFTER INSERT ON "people" REFERENCING NEW TABLE AS "made"
  FOR EACH STATEMENT EXECUTE FUNCTION "take_names"();
CREATE OR REPLACE TRIGGER "names_taken_by_update" AFTER UPDATE OF "username", "subject" ON "people" FOR EACH ROW
  WHEN (OLD."username" IS DISTINCT FROM NEW."username" OR OLD."subject" IS DISTINCT FROM NEW."subject")
  EXECUTE FUNCTION "take_names"();
-- runs after the trigger of the foreign key, which removes the names, because triggers run in the order of their names
CREATE OR REPLACE TRIGGER "names_left" AFTER DELETE ON "people" FOR EACH ROW EXECUTE FUNCTION "take_names"();
