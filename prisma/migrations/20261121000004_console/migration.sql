-- Versions for edits: whoever saves says which version they saw. A trigger counts, so no writer can forget.
ALTER TABLE "auth_methods" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "apis" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "clients" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "people" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "people" ADD COLUMN "email_verified_at" TIMESTAMPTZ(6);

CREATE FUNCTION "count_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."version" := OLD."version" + 1;
  RETURN NEW;
END $$;

CREATE TRIGGER "version_counts" BEFORE UPDATE ON "auth_methods" FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION "count_version"();
CREATE TRIGGER "version_counts" BEFORE UPDATE ON "apis" FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION "count_version"();
CREATE TRIGGER "version_counts" BEFORE UPDATE ON "clients" FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION "count_version"();
-- a better password hash is no edit that somebody could lose
CREATE TRIGGER "version_counts" BEFORE UPDATE OF "email", "name", "roles", "disabled_at" ON "people" FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION "count_version"();

-- Where the client was called back at each step of a subscription, so that an approver sees what changed since.
ALTER TABLE "subscription_events" ADD COLUMN "redirect_uris" TEXT[] DEFAULT ARRAY[]::TEXT[];

CREATE FUNCTION "note_redirect_uris"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."redirect_uris" := (SELECT "redirect_uris" FROM "clients" WHERE "client_id" = NEW."client_id");
  RETURN NEW;
END $$;

CREATE TRIGGER "redirect_uris_noted" BEFORE INSERT ON "subscription_events" FOR EACH ROW EXECUTE FUNCTION "note_redirect_uris"();

-- Links in mails: one use each, kept as a hash.
CREATE TABLE "mail_tokens" (
    "token_hash" BYTEA NOT NULL,
    "purpose" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),

    CONSTRAINT "mail_tokens_pkey" PRIMARY KEY ("token_hash")
);
CREATE INDEX "mail_tokens_person_id_idx" ON "mail_tokens"("person_id");
CREATE INDEX "mail_tokens_expires_at_idx" ON "mail_tokens"("expires_at");
ALTER TABLE "mail_tokens" ADD CONSTRAINT "mail_tokens_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "mail_tokens" ADD CONSTRAINT "mail_tokens_purpose" CHECK ("purpose" IN ('verify-email', 'password-reset'));

-- Forms of the console that were sent: each works once.
CREATE TABLE "used_forms" (
    "token_hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "used_forms_pkey" PRIMARY KEY ("token_hash")
);
CREATE INDEX "used_forms_used_at_idx" ON "used_forms"("used_at");

-- What a client's requests were refused for, for its developer: the newest of each client, never a secret.
CREATE TABLE "refused_requests" (
    "id" BIGSERIAL NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT,
    "auth_method_id" TEXT,
    "endpoint" TEXT NOT NULL,
    "error" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "details" JSONB NOT NULL DEFAULT '{}',
    "request_id" TEXT,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refused_requests_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "refused_requests_client_id_at_id_idx" ON "refused_requests"("client_id", "at", "id");
CREATE INDEX "refused_requests_at_idx" ON "refused_requests"("at");
ALTER TABLE "refused_requests" ADD CONSTRAINT "refused_requests_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Lists come in pages by these keys.
CREATE INDEX "clients_owner_id_client_id_idx" ON "clients"("owner_id", "client_id");
DROP INDEX "clients_owner_id_idx";
CREATE INDEX "people_created_at_id_idx" ON "people"("created_at", "id");
CREATE INDEX "subscriptions_updated_at_client_id_api_id_idx" ON "subscriptions"("updated_at", "client_id", "api_id");
CREATE INDEX "subscriptions_state_updated_at_client_id_api_id_idx" ON "subscriptions"("state", "updated_at", "client_id", "api_id");
CREATE INDEX "sessions_auth_time_id_hash_idx" ON "sessions"("auth_time", "id_hash");
CREATE INDEX "consents_client_id_api_id_idx" ON "consents"("client_id", "api_id");
CREATE INDEX "audit_events_actor_at_idx" ON "audit_events"("actor", "at");
