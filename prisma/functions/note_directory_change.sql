-- Increments the version of the registry, records which clients changed (docs/project/decisions/0004), and notifies the
-- listening processes. The triggers of the registry's tables call it. It locks the version's row until the commit, so
-- that times increase with versions.
CREATE OR REPLACE FUNCTION "note_directory_change"("changed_clients" TEXT[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moved BIGINT;
BEGIN
  -- a statement that matched no row has changed nothing
  IF cardinality("changed_clients") = 0 THEN RETURN; END IF;
  UPDATE "directory_version" SET "version" = "version" + 1 WHERE "id" = 1 RETURNING "version" INTO moved;
  INSERT INTO "directory_changes" ("version", "client_id", "at")
    SELECT moved, "id", clock_timestamp() FROM unnest("changed_clients") AS "id";
  NOTIFY gatehouse_directory;
END $$;
