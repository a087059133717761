-- Ends the tokens of an ended sign-in, and queues notifications for clients (docs/project/decisions/0011). It is a
-- trigger, so that no statement that ends a session can forget it. Redeeming a code of an `openid` request locks its
-- session's row: each statement of this function therefore sees the tokens issued before the session ended.
CREATE OR REPLACE FUNCTION "sign_in_ended"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- the same person signed in again in the same browser, so the new session now has the sid
  IF EXISTS (SELECT 1 FROM "sessions" s
    WHERE s."person_id" = NEW."person_id" AND s."sid" = NEW."sid" AND s."ended_at" IS NULL) THEN
    RETURN NULL;
  END IF;
  PERFORM "tell_clients"(NEW."person_id", NEW."sid");
  WITH "held" AS (
    SELECT f."id" FROM "token_families" f
    WHERE f."revoked_at" IS NULL AND f."id" IN (
        SELECT o."id" FROM "token_families" o
        WHERE o."person_id" = NEW."person_id" AND o."sid" = NEW."sid" AND o."openid" IS NOT NULL
        UNION ALL
        -- a browser application is no longer used after its user signed out (RFC 9700 §2.2.2)
        SELECT b."id" FROM "token_families" b JOIN "clients" c ON c."client_id" = b."client_id"
        WHERE b."person_id" = NEW."person_id" AND b."sid" = NEW."sid" AND b."dpop_jkt" IS NOT NULL
          AND NOT c."confidential" AND c."application_type" <> 'native')
      AND NOT 'offline_access' = ANY (f."scopes")
    ORDER BY f."id" FOR NO KEY UPDATE
  ), "revoked" AS (
    UPDATE "token_families" f SET "revoked_at" = now(), "revoked_reason" = 'signed out'
    FROM "held" WHERE f."id" = "held"."id" RETURNING f.*
  )
  INSERT INTO "audit_events" ("event", "person_id", "client_id", "api_id", "auth_method_id", "details")
  SELECT 'token.revoked', "person_id", "client_id", "api_id", "auth_method_id",
    jsonb_build_object('family', "id", 'reason', 'signed out') FROM "revoked" WHERE "expires_at" > now();
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "sign_in_ended" AFTER UPDATE OF "ended_at" ON "sessions" FOR EACH ROW
  WHEN (OLD."ended_at" IS NULL AND NEW."ended_at" IS NOT NULL AND NEW."kind" = 'sign-in')
  EXECUTE FUNCTION "sign_in_ended"();
