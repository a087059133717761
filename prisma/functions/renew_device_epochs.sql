-- What devices hold at an API ends when the API connects none any more: by itself, or by a profile that lets none be
-- connected. A trigger, so that no writer can forget it.
CREATE OR REPLACE FUNCTION "renew_device_epochs"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE "subscriptions" SET "device_epoch" = next_epoch() WHERE "api_id" = NEW."id" AND "device";
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "device_epochs_renewed" AFTER UPDATE ON "apis" FOR EACH ROW
  WHEN (OLD."device_grant" = 'on' AND OLD."profile" IS DISTINCT FROM 'fapi-2.0'
    AND (NEW."device_grant" <> 'on' OR NEW."profile" IS NOT DISTINCT FROM 'fapi-2.0')) EXECUTE FUNCTION "renew_device_epochs"();
