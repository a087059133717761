-- Which client each change of the registry was about, so that a process that knows an older version reads only what
-- changed since, and a request asks only whether what it relied on has changed. An empty client_id stands for what all
-- clients share: methods, APIs, combinations, keys. Every version has a row at least; times rise with versions, because
-- whoever moves the version holds its row until the commit.
CREATE TABLE "directory_changes" (
    "version" BIGINT NOT NULL,
    "client_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "directory_changes_pkey" PRIMARY KEY ("version","client_id")
);
CREATE INDEX "directory_changes_client_id_version_idx" ON "directory_changes"("client_id", "version");
CREATE INDEX "directory_changes_at_idx" ON "directory_changes"("at");

CREATE FUNCTION "note_directory_change"("changed_clients" TEXT[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moved BIGINT;
BEGIN
  -- a statement that met no row has changed nothing
  IF cardinality("changed_clients") = 0 THEN RETURN; END IF;
  UPDATE "directory_version" SET "version" = "version" + 1 WHERE "id" = 1 RETURNING "version" INTO moved;
  INSERT INTO "directory_changes" ("version", "client_id", "at")
    SELECT moved, "id", clock_timestamp() FROM unnest("changed_clients") AS "id";
  NOTIFY gatehouse_directory;
END $$;

CREATE FUNCTION "shared_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT '' WHERE EXISTS (SELECT FROM "changed")));
  RETURN NULL;
END $$;

CREATE FUNCTION "clients_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT DISTINCT "client_id" FROM "changed"));
  RETURN NULL;
END $$;

-- of an update both names count, should one ever change
CREATE FUNCTION "clients_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT "client_id" FROM "changed" UNION SELECT "client_id" FROM "before"));
  RETURN NULL;
END $$;

CREATE FUNCTION "client_secret_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT NEW."client_id" UNION SELECT OLD."client_id"));
  RETURN NULL;
END $$;

-- One trigger for each event, which is what a statement's table of rows wants. The first takes the place of the one
-- before: to drop that would wait for every reader, and every reader for it.
DO $$
DECLARE
  named TEXT;
  made CONSTANT TEXT := 'CREATE OR REPLACE TRIGGER %I AFTER %s ON %I REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %I()';
BEGIN
  FOREACH named IN ARRAY ARRAY['auth_methods', 'apis', 'api_scopes', 'combinations', 'signing_keys'] LOOP
    EXECUTE format(made, 'directory_changed', 'INSERT', named, 'NEW TABLE AS "changed"', 'shared_changed');
    EXECUTE format(made, 'directory_changed_by_update', 'UPDATE', named, 'NEW TABLE AS "changed"', 'shared_changed');
    EXECUTE format(made, 'directory_changed_by_delete', 'DELETE', named, 'OLD TABLE AS "changed"', 'shared_changed');
  END LOOP;
  FOREACH named IN ARRAY ARRAY['clients', 'client_secrets', 'subscriptions'] LOOP
    EXECUTE format(made, 'directory_changed', 'INSERT', named, 'NEW TABLE AS "changed"', 'clients_changed');
    EXECUTE format(made, 'directory_changed_by_delete', 'DELETE', named, 'OLD TABLE AS "changed"', 'clients_changed');
  END LOOP;
  FOREACH named IN ARRAY ARRAY['clients', 'subscriptions'] LOOP
    EXECUTE format(made, 'directory_changed_by_update', 'UPDATE', named, 'OLD TABLE AS "before" NEW TABLE AS "changed"', 'clients_updated');
  END LOOP;
END $$;

-- not for its last use, which is noted once a minute: a list of columns and a statement's table of rows do not go together
CREATE TRIGGER "directory_changed_by_update" AFTER UPDATE OF "client_id", "secret_hash", "expires_at" ON "client_secrets"
  FOR EACH ROW EXECUTE FUNCTION "client_secret_updated"();

-- What was there is not known any more: without the log, everybody reads all of it.
CREATE FUNCTION "registry_truncated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "directory_version" SET "version" = "version" + 1 WHERE "id" = 1;
  DELETE FROM "directory_changes";
  NOTIFY gatehouse_directory;
  RETURN NULL;
END $$;

DO $$
DECLARE
  named TEXT;
BEGIN
  FOREACH named IN ARRAY ARRAY['auth_methods', 'apis', 'api_scopes', 'combinations', 'signing_keys', 'clients', 'client_secrets', 'subscriptions'] LOOP
    EXECUTE format('CREATE TRIGGER "directory_truncated" AFTER TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"()', named);
  END LOOP;
END $$;

DROP FUNCTION "bump_directory_version"();
