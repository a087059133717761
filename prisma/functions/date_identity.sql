-- Sets the time at which a client's identity changed. The time is read while the client's row is locked. The start of
-- the transaction, or another clock, would be wrong: a consent given in between belongs to the earlier identity. It is
-- a trigger, so that one statement changes the client, and its version increases once.
CREATE OR REPLACE FUNCTION "date_identity"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."identity_changed_at" := clock_timestamp();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "identity_dated" BEFORE UPDATE OF "identity_changed_at" ON "clients" FOR EACH ROW
  WHEN (NEW."identity_changed_at" IS NOT NULL) EXECUTE FUNCTION "date_identity"();
