-- Notes clients that were created or deleted, or whose secrets or subscriptions were. Triggers call it, so that no
-- writer of the registry can forget the version.
CREATE OR REPLACE FUNCTION "clients_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT DISTINCT "client_id" FROM "changed"));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "clients" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "clients_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "clients" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "clients_changed"();
CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "client_secrets" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "clients_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "client_secrets" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "clients_changed"();
CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "subscriptions" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "clients_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "subscriptions" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "clients_changed"();
