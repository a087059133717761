-- Notes a change of data that all clients share, with an empty client_id. Triggers call it, so that no writer of the
-- registry can forget the version. Each event has its own trigger, because transition tables require that.
CREATE OR REPLACE FUNCTION "shared_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT '' WHERE EXISTS (SELECT FROM "changed")));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "auth_methods" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_update" AFTER UPDATE ON "auth_methods" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "auth_methods" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "apis" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_update" AFTER UPDATE ON "apis" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "apis" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "api_scopes" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_update" AFTER UPDATE ON "api_scopes" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "api_scopes" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "combinations" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_update" AFTER UPDATE ON "combinations" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "combinations" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "signing_keys" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_update" AFTER UPDATE ON "signing_keys" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "signing_keys" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "subject_salt" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_update" AFTER UPDATE ON "subject_salt" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "subject_salt" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed" AFTER INSERT ON "groups" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_update" AFTER UPDATE ON "groups" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE OR REPLACE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "groups" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
