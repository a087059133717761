-- Revokes the tokens of devices when a subscription's device permission is withdrawn. Other tokens of users remain
-- valid. A trigger calls it, so that no writer can forget it.
CREATE OR REPLACE FUNCTION "renew_device_epoch"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW."device_epoch" := next_epoch();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "device_epoch_renewed" BEFORE UPDATE ON "subscriptions" FOR EACH ROW
  WHEN (OLD."device" AND NOT NEW."device") EXECUTE FUNCTION "renew_device_epoch"();
