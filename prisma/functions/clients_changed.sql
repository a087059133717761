-- Notes clients that were created or deleted, or whose secrets or subscriptions were. Triggers call it, so that no
-- writer of the registry can forget the version.
CREATE OR REPLACE FUNCTION "clients_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT DISTINCT "client_id" FROM "changed"));
  RETURN NULL;
END $$;

{{triggers of clients_changed}}
