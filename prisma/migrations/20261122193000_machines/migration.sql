-- A subscription may let its client ask for tokens in its own name (RFC 6749 §4.4). It waits for approval as trust does.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "subscriptions" ADD COLUMN "machine" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "subscriptions" ADD COLUMN "machine_epoch" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "subscription_events" ADD COLUMN "machine" BOOLEAN NOT NULL DEFAULT false;

-- What a machine holds ends when this is taken away; what people gave goes on. A trigger, so that no writer can forget.
CREATE FUNCTION "renew_machine_epoch"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW."machine_epoch" := next_epoch();
  RETURN NEW;
END $$;
CREATE TRIGGER "machine_epoch_renewed" BEFORE UPDATE ON "subscriptions" FOR EACH ROW
  WHEN (OLD."machine" AND NOT NEW."machine") EXECUTE FUNCTION "renew_machine_epoch"();
