-- Revokes the tokens of a machine when its permission is withdrawn. Tokens of users remain valid. A trigger calls it,
-- so that no writer can forget it.
CREATE OR REPLACE FUNCTION "renew_machine_epoch"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW."machine_epoch" := next_epoch();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "machine_epoch_renewed" BEFORE UPDATE ON "subscriptions" FOR EACH ROW
  WHEN (OLD."machine" AND NOT NEW."machine") EXECUTE FUNCTION "renew_machine_epoch"();
