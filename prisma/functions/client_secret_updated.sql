-- A client whose secret changed, but not its last use, which is noted once a minute. A trigger for each row: a list of
-- columns and a table of the statement's rows exclude each other.
CREATE OR REPLACE FUNCTION "client_secret_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT NEW."client_id" UNION SELECT OLD."client_id"));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "directory_changed_by_update" AFTER UPDATE OF "client_id", "secret_hash", "expires_at" ON "client_secrets"
  FOR EACH ROW EXECUTE FUNCTION "client_secret_updated"();
