-- A revoked family takes with it what was exchanged for its tokens, and so on down. A trigger, so that no statement
-- that revokes can forget it.
CREATE OR REPLACE FUNCTION "revoke_exchanged_families"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "token_families" SET "revoked_at" = NEW."revoked_at", "revoked_reason" = 'subject revoked'
    WHERE "parent_id" = NEW."id" AND "revoked_at" IS NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "family_revoked" AFTER UPDATE OF "revoked_at" ON "token_families" FOR EACH ROW
  WHEN (OLD."revoked_at" IS NULL AND NEW."revoked_at" IS NOT NULL) EXECUTE FUNCTION "revoke_exchanged_families"();
