-- What devices hold ends when the permission is taken away; what else people gave does not. A trigger, so that no
-- writer can forget it.
CREATE OR REPLACE FUNCTION "renew_device_epoch"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW."device_epoch" := next_epoch();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "device_epoch_renewed" BEFORE UPDATE ON "subscriptions" FOR EACH ROW
  WHEN (OLD."device" AND NOT NEW."device") EXECUTE FUNCTION "renew_device_epoch"();
