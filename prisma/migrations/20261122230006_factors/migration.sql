-- Factors of people: passkeys, authenticator apps, the recovery codes that stand in for them, and the browsers that are trusted.
SET LOCAL lock_timeout = '200ms';
CREATE TABLE "passkeys" (
    "credential_id" BYTEA NOT NULL,
    "person_id" UUID NOT NULL,
    "rp_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "aaguid" UUID,
    "backup_eligible" BOOLEAN NOT NULL,
    "backed_up" BOOLEAN NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(6),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("credential_id")
);
CREATE INDEX "passkeys_person_id_created_at_idx" ON "passkeys"("person_id", "created_at");
CREATE INDEX "passkeys_rp_id_idx" ON "passkeys"("rp_id");

CREATE TABLE "totp_secrets" (
    "person_id" UUID NOT NULL,
    "sealed_secret" TEXT NOT NULL,
    "last_step" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(6),

    CONSTRAINT "totp_secrets_pkey" PRIMARY KEY ("person_id")
);

CREATE TABLE "recovery_codes" (
    "code_hash" BYTEA NOT NULL,
    "person_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(6),

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("code_hash")
);
CREATE INDEX "recovery_codes_person_id_idx" ON "recovery_codes"("person_id");

CREATE TABLE "trusted_browsers" (
    "token_hash" BYTEA NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "person_id" UUID NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "trusted_browsers_pkey" PRIMARY KEY ("token_hash")
);
CREATE UNIQUE INDEX "trusted_browsers_id_key" ON "trusted_browsers"("id");
CREATE INDEX "trusted_browsers_person_id_idx" ON "trusted_browsers"("person_id");
CREATE INDEX "trusted_browsers_expires_at_idx" ON "trusted_browsers"("expires_at");

ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "totp_secrets" ADD CONSTRAINT "totp_secrets_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "trusted_browsers" ADD CONSTRAINT "trusted_browsers_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Triggers, so that no writer can forget. The person's row is locked first: of two changes at once the second counts what the
-- first left. With the first factor whatever a password alone gave ends; with the last one what stood in for factors goes.
CREATE FUNCTION "factors_changed"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  "whose" UUID := coalesce(NEW."person_id", OLD."person_id");
  "before" SMALLINT;
  "reached" SMALLINT;
BEGIN
  SELECT p."factor_level" INTO "before" FROM "people" p WHERE p."id" = "whose" FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  "reached" := CASE WHEN EXISTS (SELECT FROM "passkeys" WHERE "person_id" = "whose") THEN 3
    WHEN EXISTS (SELECT FROM "totp_secrets" WHERE "person_id" = "whose") THEN 2 ELSE 0 END;
  IF "reached" = "before" THEN
    RETURN NULL;
  END IF;
  UPDATE "people" SET "factor_level" = "reached" WHERE "id" = "whose";
  IF "reached" = 0 THEN
    DELETE FROM "recovery_codes" WHERE "person_id" = "whose";
    DELETE FROM "trusted_browsers" WHERE "person_id" = "whose";
  ELSIF "before" = 0 THEN
    WITH "held" AS (
      SELECT f."id" FROM "token_families" f
      WHERE f."person_id" = "whose" AND f."basis" = 'password' AND f."revoked_at" IS NULL
      ORDER BY f."id" FOR NO KEY UPDATE
    ) UPDATE "token_families" f SET "revoked_at" = now(), "revoked_reason" = 'second factor added' FROM "held" WHERE f."id" = "held"."id";
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "factors_changed" AFTER INSERT OR DELETE ON "passkeys" FOR EACH ROW EXECUTE FUNCTION "factors_changed"();
CREATE TRIGGER "factors_changed" AFTER INSERT OR DELETE ON "totp_secrets" FOR EACH ROW EXECUTE FUNCTION "factors_changed"();

-- A new password may be that of somebody who has just thrown a thief out.
CREATE FUNCTION "forget_trusted_browsers"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM "trusted_browsers" WHERE "person_id" = NEW."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "trusted_browsers_forgotten" AFTER UPDATE OF "password_changed_at" ON "people" FOR EACH ROW
  WHEN (OLD."password_changed_at" IS DISTINCT FROM NEW."password_changed_at") EXECUTE FUNCTION "forget_trusted_browsers"();
