-- When a client became another one to people: with its row locked, and not when the transaction began or by another
-- clock. A consent that is given meanwhile is from before. A trigger, so that one statement changes the client, and its
-- version counts once.
CREATE OR REPLACE FUNCTION "date_identity"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."identity_changed_at" := clock_timestamp();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "identity_dated" BEFORE UPDATE OF "identity_changed_at" ON "clients" FOR EACH ROW
  WHEN (NEW."identity_changed_at" IS NOT NULL) EXECUTE FUNCTION "date_identity"();
