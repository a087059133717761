-- Notes a change of data that all clients share, with an empty client_id. Triggers call it, so that no writer of the
-- registry can forget the version. Each event has its own trigger, because transition tables require that.
CREATE OR REPLACE FUNCTION "shared_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_directory_change"(ARRAY(SELECT '' WHERE EXISTS (SELECT FROM "changed")));
  RETURN NULL;
END $$;

{{triggers of shared_changed}}
