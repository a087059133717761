-- Maintains people.factor_level. The first factor revokes the tokens of the password grant, and the removal of the
-- last one deletes recovery codes and trusted browsers. A trigger calls it, so that no writer can forget it. It locks
-- the person's row first: the second of two concurrent changes counts the factors that the first change left.
CREATE OR REPLACE FUNCTION "factors_changed"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
    ), "revoked" AS (
      UPDATE "token_families" f SET "revoked_at" = now(), "revoked_reason" = 'second factor added'
      FROM "held" WHERE f."id" = "held"."id" RETURNING f.*
    )
    INSERT INTO "audit_events" ("event", "person_id", "client_id", "api_id", "auth_method_id", "details")
    SELECT 'token.revoked', "person_id", "client_id", "api_id", "auth_method_id",
      jsonb_build_object('family', "id", 'reason', 'second factor added') FROM "revoked" WHERE "expires_at" > now();
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "factors_changed" AFTER INSERT OR DELETE ON "passkeys" FOR EACH ROW EXECUTE FUNCTION "factors_changed"();
CREATE OR REPLACE TRIGGER "factors_changed" AFTER INSERT OR DELETE ON "totp_secrets" FOR EACH ROW EXECUTE FUNCTION "factors_changed"();
