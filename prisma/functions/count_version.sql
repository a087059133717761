-- Counts versions, because a form sends the version that it was opened with. A trigger calls it, so that no writer can
-- forget to count.
CREATE OR REPLACE FUNCTION "count_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."version" := OLD."version" + 1;
  NEW."updated_at" := now();
  RETURN NEW;
END $$;

{{triggers of count_version}}
-- a stronger hash of the same password does not count as an edit
CREATE OR REPLACE TRIGGER "version_counts" BEFORE UPDATE OF "email", "name", "roles", "disabled_at" ON "people" FOR EACH ROW
  WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION "count_version"();
