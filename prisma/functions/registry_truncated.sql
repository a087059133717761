-- Clears directory_changes after TRUNCATE, because the deleted clients are unknown. An empty log makes every process
-- read the whole registry.
CREATE OR REPLACE FUNCTION "registry_truncated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "directory_version" SET "version" = "version" + 1 WHERE "id" = 1;
  DELETE FROM "directory_changes";
  NOTIFY gatehouse_directory;
  RETURN NULL;
END $$;

{{triggers of registry_truncated}}
