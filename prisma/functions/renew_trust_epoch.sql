-- Revokes tokens that depend on trust when the trust is withdrawn. Tokens that depend on consents remain valid. A
-- trigger calls it, so that no writer can forget it.
CREATE OR REPLACE FUNCTION "renew_trust_epoch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."trust_epoch" := next_epoch();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "trust_epoch_renewed" BEFORE UPDATE ON "subscriptions" FOR EACH ROW
  WHEN (OLD."trusted" AND NOT NEW."trusted") EXECUTE FUNCTION "renew_trust_epoch"();
