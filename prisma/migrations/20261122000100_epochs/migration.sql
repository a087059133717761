-- What a code or a token family rests on has an epoch: person, client, subscription, combination, consent. Whatever ends
-- its tokens renews it; a code or family keeps the sum of the epochs that it was given under, and lives while the sum is
-- the same. A sequence never goes back, so the sum is the same only while every part is. Everything there is now has 0.
CREATE SEQUENCE "epochs";
CREATE FUNCTION "next_epoch"() RETURNS BIGINT LANGUAGE sql SET search_path FROM CURRENT AS $$ SELECT nextval('epochs') $$;

ALTER TABLE "people" ADD COLUMN "epoch" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "clients" ADD COLUMN "epoch" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "subscriptions" ADD COLUMN "epoch" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "subscriptions" ADD COLUMN "trust_epoch" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "combinations" ADD COLUMN "epoch" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "consents" ADD COLUMN "epoch" BIGINT NOT NULL DEFAULT 0;

-- What is removed and made again under the same key is another one. (A person's id is never used twice.)
ALTER TABLE "clients" ALTER COLUMN "epoch" SET DEFAULT next_epoch();
ALTER TABLE "subscriptions" ALTER COLUMN "epoch" SET DEFAULT next_epoch();
ALTER TABLE "combinations" ALTER COLUMN "epoch" SET DEFAULT next_epoch();
ALTER TABLE "consents" ALTER COLUMN "epoch" SET DEFAULT next_epoch();

ALTER TABLE "sessions" ADD COLUMN "person_epoch" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "codes" ADD COLUMN "epoch" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "codes" ADD COLUMN "session_hash" BYTEA;
ALTER TABLE "token_families" ADD COLUMN "epoch" BIGINT NOT NULL DEFAULT 0;

-- Triggers, so that no writer can forget.
CREATE FUNCTION "renew_epoch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."epoch" := next_epoch();
  RETURN NEW;
END $$;
CREATE TRIGGER "epoch_renewed" BEFORE UPDATE ON "people" FOR EACH ROW
  WHEN (OLD."password_changed_at" IS DISTINCT FROM NEW."password_changed_at"
    OR (OLD."disabled_at" IS NULL AND NEW."disabled_at" IS NOT NULL)) EXECUTE FUNCTION "renew_epoch"();
CREATE TRIGGER "epoch_renewed" BEFORE UPDATE ON "clients" FOR EACH ROW
  WHEN (OLD."confidential" <> NEW."confidential"
    OR (OLD."disabled_at" IS NULL AND NEW."disabled_at" IS NOT NULL)) EXECUTE FUNCTION "renew_epoch"();
CREATE TRIGGER "epoch_renewed" BEFORE UPDATE ON "subscriptions" FOR EACH ROW
  WHEN (OLD."state" <> NEW."state" AND NEW."state" IN ('rejected', 'revoked')) EXECUTE FUNCTION "renew_epoch"();

-- What rests on trust ends when the trust is taken away; what rests on consents goes on.
CREATE FUNCTION "renew_trust_epoch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."trust_epoch" := next_epoch();
  RETURN NEW;
END $$;
CREATE TRIGGER "trust_epoch_renewed" BEFORE UPDATE ON "subscriptions" FOR EACH ROW
  WHEN (OLD."trusted" AND NOT NEW."trusted") EXECUTE FUNCTION "renew_trust_epoch"();

-- A token that was exchanged: which one, how long its chain is, and the most that it may become again at each API where it
-- has been ({"orders": ["orders:read"]}).
ALTER TABLE "token_families" ADD COLUMN "subject_jti" TEXT;
ALTER TABLE "token_families" ADD COLUMN "subject_hash" BYTEA;
ALTER TABLE "token_families" ADD COLUMN "exchange_depth" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "token_families" ADD COLUMN "ceilings" JSONB;
