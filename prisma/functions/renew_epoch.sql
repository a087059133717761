-- Revokes everything that depends on a person, a client or a subscription, by a new epoch
-- (docs/project/decisions/0003). A trigger calls it, so that no writer can forget it.
CREATE OR REPLACE FUNCTION "renew_epoch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."epoch" := next_epoch();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "epoch_renewed" BEFORE UPDATE ON "people" FOR EACH ROW
  WHEN (OLD."password_changed_at" IS DISTINCT FROM NEW."password_changed_at"
    OR (OLD."disabled_at" IS NULL AND NEW."disabled_at" IS NOT NULL)) EXECUTE FUNCTION "renew_epoch"();
CREATE OR REPLACE TRIGGER "epoch_renewed" BEFORE UPDATE ON "clients" FOR EACH ROW
  WHEN (OLD."confidential" <> NEW."confidential"
    OR (OLD."disabled_at" IS NULL AND NEW."disabled_at" IS NOT NULL)) EXECUTE FUNCTION "renew_epoch"();
CREATE OR REPLACE TRIGGER "epoch_renewed" BEFORE UPDATE ON "subscriptions" FOR EACH ROW
  WHEN (OLD."state" <> NEW."state" AND NEW."state" IN ('rejected', 'revoked')) EXECUTE FUNCTION "renew_epoch"();
