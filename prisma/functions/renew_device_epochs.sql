-- Revokes the tokens of devices at an API when the API stops allowing devices: by its device setting, or by a profile
-- that excludes devices. A trigger calls it, so that no writer can forget it.
CREATE OR REPLACE FUNCTION "renew_device_epochs"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE "subscriptions" SET "device_epoch" = next_epoch() WHERE "api_id" = NEW."id" AND "device";
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "device_epochs_renewed" AFTER UPDATE ON "apis" FOR EACH ROW
  WHEN (OLD."device_grant" = 'on' AND coalesce(OLD."profile", '') NOT IN ({{profiles without devices}})
    AND (NEW."device_grant" <> 'on' OR coalesce(NEW."profile", '') IN ({{profiles without devices}}))) EXECUTE FUNCTION "renew_device_epochs"();
