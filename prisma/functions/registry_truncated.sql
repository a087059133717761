-- Clears directory_changes after TRUNCATE, because the deleted clients are unknown. An empty log makes every process
-- read the whole registry.
CREATE OR REPLACE FUNCTION "registry_truncated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "directory_version" SET "version" = "version" + 1 WHERE "id" = 1;
  DELETE FROM "directory_changes";
  NOTIFY gatehouse_directory;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "auth_methods"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "apis"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "api_scopes"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "combinations"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "signing_keys"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "subject_salt"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "clients"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "client_secrets"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "subscriptions"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
CREATE OR REPLACE TRIGGER "directory_truncated" AFTER TRUNCATE ON "groups"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
