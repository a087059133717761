-- Tokens of the built-in management API carry the power of their person, so they rest on a consent that this person gave
-- on the page, and on nothing else: no trust, no password grant, no exchange. What was revoked may stay as it was. NOT
-- VALID: it binds every writer from here on, and the statements below put right what is there.
ALTER TABLE "apis" ADD CONSTRAINT "apis_management_waits" CHECK ("id" <> 'management' OR "require_approval") NOT VALID;
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_management_untrusted" CHECK ("api_id" <> 'management' OR NOT "trusted") NOT VALID;
ALTER TABLE "codes" ADD CONSTRAINT "codes_management_consent" CHECK ("api_id" <> 'management' OR "basis" = 'consent' OR "revoked_at" IS NOT NULL) NOT VALID;
ALTER TABLE "token_families" ADD CONSTRAINT "token_families_management_consent" CHECK ("api_id" <> 'management' OR "basis" = 'consent' OR "revoked_at" IS NOT NULL) NOT VALID;

UPDATE "apis" SET "require_approval" = true WHERE "id" = 'management' AND NOT "require_approval";
UPDATE "codes" SET "revoked_at" = now() WHERE "api_id" = 'management' AND "basis" <> 'consent' AND "revoked_at" IS NULL;
UPDATE "token_families" SET "revoked_at" = now(), "revoked_reason" = 'the management API takes a consent only'
  WHERE "api_id" = 'management' AND "basis" <> 'consent' AND "revoked_at" IS NULL;

-- What was trusted, or was approved by somebody who is no administrator, waits for an administrator.
WITH "before" AS (
  SELECT s."client_id", s."api_id", s."state", s."trusted", s."decided_by" IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM "people" p WHERE p."id" = s."decided_by" AND 'administrator' = ANY(p."roles")) AS "by_another"
  FROM "subscriptions" s WHERE s."api_id" = 'management'
), "moved" AS (
  UPDATE "subscriptions" s SET "trusted" = false, "version" = s."version" + 1, "updated_at" = now(),
    "state" = CASE WHEN s."state" = 'approved' THEN 'pending' ELSE s."state" END
  FROM "before" b
  WHERE s."client_id" = b."client_id" AND s."api_id" = b."api_id"
    AND (b."trusted" OR (b."state" = 'approved' AND b."by_another"))
  RETURNING s."client_id", s."api_id", b."state" AS "from_state", s."state" AS "to_state", s."scopes"
)
INSERT INTO "subscription_events" ("client_id", "api_id", "from_state", "to_state", "trusted", "scopes", "actor", "reason")
SELECT "client_id", "api_id", "from_state", "to_state", false, "scopes", 'gatehouse',
  'the management API is never trusted, and only administrators decide for it' FROM "moved";

-- The kind of client at each step of a subscription, beside its redirect addresses: a resumption brings back what was
-- approved, and nothing else. Null: a step from before this column.
ALTER TABLE "subscription_events" ADD COLUMN "client_kind" TEXT;

CREATE OR REPLACE FUNCTION "note_redirect_uris"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT "redirect_uris", CASE WHEN "confidential" THEN 'confidential' WHEN "application_type" = 'native' THEN 'native' ELSE 'browser' END
    INTO NEW."redirect_uris", NEW."client_kind" FROM "clients" WHERE "client_id" = NEW."client_id";
  RETURN NEW;
END $$;

-- Whoever decides about a subscription sees the client with it: once the client is another, what was seen is stale.
CREATE FUNCTION "make_undecided_stale"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "subscriptions" SET "version" = "version" + 1
    WHERE "client_id" = NEW."client_id" AND "state" IN ('pending', 'rejected', 'suspended');
  RETURN NULL;
END $$;

CREATE TRIGGER "undecided_go_stale" AFTER UPDATE OF "redirect_uris", "confidential", "application_type" ON "clients" FOR EACH ROW
  WHEN ((OLD."redirect_uris", OLD."confidential", OLD."application_type") IS DISTINCT FROM (NEW."redirect_uris", NEW."confidential", NEW."application_type"))
  EXECUTE FUNCTION "make_undecided_stale"();

-- Whatever was mailed to a person ends when the password or the address changes, or the person is disabled. A trigger, so
-- no writer can forget. A better hash of the same password leaves password_changed_at alone.
CREATE FUNCTION "end_mailed_links"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "mail_tokens" WHERE "person_id" = NEW."id";
  RETURN NULL;
END $$;

CREATE TRIGGER "mailed_links_end" AFTER UPDATE OF "password_changed_at", "email", "disabled_at" ON "people" FOR EACH ROW
  WHEN (OLD."password_changed_at" IS DISTINCT FROM NEW."password_changed_at" OR OLD."email" IS DISTINCT FROM NEW."email"
    OR (OLD."disabled_at" IS NULL AND NEW."disabled_at" IS NOT NULL))
  EXECUTE FUNCTION "end_mailed_links"();
