-- A family that a token exchange made knows the family it came from, and who acts (RFC 8693).
ALTER TABLE "token_families" ADD COLUMN "parent_id" UUID;
ALTER TABLE "token_families" ADD COLUMN "act" JSONB;

CREATE INDEX "token_families_parent_id_idx" ON "token_families"("parent_id");

ALTER TABLE "token_families" ADD CONSTRAINT "token_families_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whoever revokes a family revokes what was exchanged for its tokens, and so on down. A trigger, so no writer can forget.
CREATE FUNCTION "revoke_exchanged_families"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "token_families" SET "revoked_at" = NEW."revoked_at", "revoked_reason" = 'subject revoked'
    WHERE "parent_id" = NEW."id" AND "revoked_at" IS NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER "family_revoked" AFTER UPDATE OF "revoked_at" ON "token_families" FOR EACH ROW
  WHEN (OLD."revoked_at" IS NULL AND NEW."revoked_at" IS NOT NULL) EXECUTE FUNCTION "revoke_exchanged_families"();
