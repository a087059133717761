-- Queues a back-channel logout for each client with an active family of this session, once for each issuer address that
-- the client uses. Without a session: of any session of the person. It uses two statements, so that each has its own
-- plan. It is a function, because the trigger of a session and the sign-out of a person everywhere both need it.
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
