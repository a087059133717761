-- A client that knows an issuer by both of its addresses is told of a sign-out by both. The outbox is small: its new index takes
-- no time.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "logout_deliveries" ADD COLUMN     "issuer_host" TEXT NOT NULL DEFAULT '';

-- DropIndex
DROP INDEX "logout_deliveries_sid_client_id_api_id_key";

-- CreateIndex
CREATE UNIQUE INDEX "logout_deliveries_sid_client_id_api_id_issuer_host_key" ON "logout_deliveries"("sid", "client_id", "api_id", "issuer_host");

-- As before, with the address.
CREATE OR REPLACE FUNCTION "tell_clients"("person" UUID, "session" UUID) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF "session" IS NULL THEN
    INSERT INTO "logout_deliveries" ("client_id", "api_id", "auth_method_id", "person_id", "sid", "issuer_host")
    SELECT DISTINCT f."client_id", f."api_id", f."auth_method_id", f."person_id", f."sid", coalesce(f."issuer_host", '')
    FROM "token_families" f JOIN "clients" c ON c."client_id" = f."client_id"
    WHERE f."person_id" = "person" AND f."sid" IS NOT NULL
      AND f."openid" IS NOT NULL AND f."revoked_at" IS NULL AND f."expires_at" > now()
      AND c."backchannel_logout_uri" IS NOT NULL
    ON CONFLICT ("sid", "client_id", "api_id", "issuer_host") DO NOTHING;
  ELSE
    INSERT INTO "logout_deliveries" ("client_id", "api_id", "auth_method_id", "person_id", "sid", "issuer_host")
    SELECT DISTINCT f."client_id", f."api_id", f."auth_method_id", f."person_id", f."sid", coalesce(f."issuer_host", '')
    FROM "token_families" f JOIN "clients" c ON c."client_id" = f."client_id"
    WHERE f."person_id" = "person" AND f."sid" = "session"
      AND f."openid" IS NOT NULL AND f."revoked_at" IS NULL AND f."expires_at" > now()
      AND c."backchannel_logout_uri" IS NOT NULL
    ON CONFLICT ("sid", "client_id", "api_id", "issuer_host") DO NOTHING;
  END IF;
END $$;
