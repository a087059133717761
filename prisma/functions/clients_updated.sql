-- Notes clients that changed, or whose subscriptions changed. If a client_id changes, both ids are noted. Triggers call
-- it, so that no writer of the registry can forget the version.
CREATE OR REPLACE FUNCTION "clients_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT "client_id" FROM "changed" UNION SELECT "client_id" FROM "before"));
  RETURN NULL;
END $$;

{{triggers of clients_updated}}
