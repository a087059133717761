-- Revokes the families exchanged for the tokens of a revoked family, and recursively their descendants. A trigger calls
-- it, so that no revoking statement can forget it.
CREATE OR REPLACE FUNCTION "revoke_exchanged_families"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- most families have no exchanged token
  IF NOT EXISTS (SELECT FROM "token_families" WHERE "parent_id" = NEW."id" AND "revoked_at" IS NULL) THEN
    RETURN NULL;
  END IF;
  WITH "revoked" AS (
    UPDATE "token_families" SET "revoked_at" = NEW."revoked_at", "revoked_reason" = 'subject revoked'
    WHERE "parent_id" = NEW."id" AND "revoked_at" IS NULL RETURNING *
  )
  INSERT INTO "audit_events" ("event", "person_id", "client_id", "api_id", "auth_method_id", "details")
  SELECT 'token.revoked', "person_id", "client_id", "api_id", "auth_method_id",
    jsonb_build_object('family', "id", 'reason', 'subject revoked') FROM "revoked" WHERE "expires_at" > now();
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "family_revoked" AFTER UPDATE OF "revoked_at" ON "token_families" FOR EACH ROW
  WHEN (OLD."revoked_at" IS NULL AND NEW."revoked_at" IS NOT NULL) EXECUTE FUNCTION "revoke_exchanged_families"();
