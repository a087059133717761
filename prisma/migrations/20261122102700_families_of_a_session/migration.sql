-- The families of one session are found by its sid, however many the person has: signing out of hundreds of sessions read all
-- of them for each. Only `openid` families are looked for, and only they are in the index.
CREATE INDEX "token_families_sid_idx" ON "token_families"("sid") WHERE "openid" IS NOT NULL;

-- As before, with a plan of its own for each of the two questions.
CREATE OR REPLACE FUNCTION "tell_clients"("person" UUID, "session" UUID) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF "session" IS NULL THEN
    INSERT INTO "logout_deliveries" ("client_id", "api_id", "auth_method_id", "person_id", "sid")
    SELECT DISTINCT f."client_id", f."api_id", f."auth_method_id", f."person_id", f."sid"
    FROM "token_families" f JOIN "clients" c ON c."client_id" = f."client_id"
    WHERE f."person_id" = "person" AND f."sid" IS NOT NULL
      AND f."openid" IS NOT NULL AND f."revoked_at" IS NULL AND f."expires_at" > now()
      AND c."backchannel_logout_uri" IS NOT NULL
    ON CONFLICT ("sid", "client_id", "api_id") DO NOTHING;
  ELSE
    INSERT INTO "logout_deliveries" ("client_id", "api_id", "auth_method_id", "person_id", "sid")
    SELECT DISTINCT f."client_id", f."api_id", f."auth_method_id", f."person_id", f."sid"
    FROM "token_families" f JOIN "clients" c ON c."client_id" = f."client_id"
    WHERE f."person_id" = "person" AND f."sid" = "session"
      AND f."openid" IS NOT NULL AND f."revoked_at" IS NULL AND f."expires_at" > now()
      AND c."backchannel_logout_uri" IS NOT NULL
    ON CONFLICT ("sid", "client_id", "api_id") DO NOTHING;
  END IF;
END $$;
