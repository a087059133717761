-- Notes the client of a changed secret. Last uses, which are recorded once a minute, are ignored. The trigger runs for
-- each row, because PostgreSQL does not allow a column list together with a transition table.
CREATE OR REPLACE FUNCTION "client_secret_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT NEW."client_id" UNION SELECT OLD."client_id"));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "directory_changed_by_update" AFTER UPDATE OF "client_id", "secret_hash", "expires_at" ON "client_secrets"
  FOR EACH ROW EXECUTE FUNCTION "client_secret_updated"();
