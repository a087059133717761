-- CreateSchema

-- CreateTable
CREATE TABLE "directory_version" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "version" BIGINT NOT NULL DEFAULT 1,

    CONSTRAINT "directory_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_methods" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "config" JSONB NOT NULL DEFAULT '{}',
    "sealed_secret" TEXT,
    "position" INTEGER NOT NULL DEFAULT 0,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_methods_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "apis" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "url" TEXT NOT NULL,
    "access_token_ttl" INTEGER NOT NULL,
    "access_token_format" TEXT NOT NULL,
    "signing_alg" TEXT NOT NULL,
    "refresh_token_ttl" INTEGER NOT NULL,
    "refresh_family_ttl" INTEGER NOT NULL,
    "introspection_secret_hash" BYTEA,
    "require_redirect_uri" BOOLEAN NOT NULL DEFAULT true,
    "require_scope" BOOLEAN NOT NULL DEFAULT false,
    "require_approval" BOOLEAN NOT NULL DEFAULT false,
    "approvers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "position" INTEGER NOT NULL DEFAULT 0,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "apis_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_scopes" (
    "api_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "api_scopes_pkey" PRIMARY KEY ("api_id","name")
);

-- CreateTable
CREATE TABLE "combinations" (
    "auth_method_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "combinations_pkey" PRIMARY KEY ("auth_method_id","api_id")
);

-- CreateTable
CREATE TABLE "clients" (
    "client_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "confidential" BOOLEAN NOT NULL,
    "application_type" TEXT NOT NULL,
    "redirect_uris" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "allowed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "logo_uri" TEXT,
    "owner_id" UUID,
    "disabled_at" TIMESTAMPTZ(6),
    "config_secret_hash" BYTEA,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "clients_pkey" PRIMARY KEY ("client_id")
);

-- CreateTable
CREATE TABLE "client_secrets" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "client_id" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6),
    "last_used_at" TIMESTAMPTZ(6),

    CONSTRAINT "client_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "trusted" BOOLEAN NOT NULL DEFAULT false,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "message" TEXT,
    "requested_by" UUID,
    "decided_by" UUID,
    "decided_at" TIMESTAMPTZ(6),
    "reason" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("client_id","api_id")
);

-- CreateTable
CREATE TABLE "subscription_events" (
    "id" BIGSERIAL NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "from_state" TEXT,
    "to_state" TEXT NOT NULL,
    "trusted" BOOLEAN NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "actor" TEXT NOT NULL,
    "actor_id" UUID,
    "reason" TEXT,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscription_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "people" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "email" TEXT,
    "name" TEXT NOT NULL DEFAULT '',
    "password_hash" TEXT,
    "password_changed_at" TIMESTAMPTZ(6),
    "config_password" TEXT,
    "roles" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "disabled_at" TIMESTAMPTZ(6),
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "people_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "external_identities" (
    "auth_method_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "email" TEXT,
    "name" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "external_identities_pkey" PRIMARY KEY ("auth_method_id","subject")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id_hash" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "auth_time" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),
    "ip" TEXT,
    "user_agent" TEXT,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id_hash")
);

-- CreateTable
CREATE TABLE "consents" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "person_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "granted_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "consents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "token_families" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "basis" TEXT NOT NULL,
    "scopes" TEXT[],
    "auth_time" TIMESTAMPTZ(6) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "revoked_at" TIMESTAMPTZ(6),
    "revoked_reason" TEXT,

    CONSTRAINT "token_families_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "codes" (
    "code_hash" BYTEA NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "redirect_uri" TEXT NOT NULL,
    "scopes" TEXT[],
    "scope_asked" BOOLEAN NOT NULL,
    "code_challenge" TEXT,
    "basis" TEXT NOT NULL,
    "auth_time" TIMESTAMPTZ(6) NOT NULL,
    "issued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),
    "family_id" UUID,

    CONSTRAINT "codes_pkey" PRIMARY KEY ("code_hash")
);

-- CreateTable
CREATE TABLE "refresh_tokens" (
    "token_hash" BYTEA NOT NULL,
    "family_id" UUID NOT NULL,
    "parent_hash" BYTEA,
    "issued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),

    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "opaque_tokens" (
    "token_hash" BYTEA NOT NULL,
    "family_id" UUID NOT NULL,
    "scopes" TEXT[],
    "issued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "opaque_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "revoked_tokens" (
    "jti" TEXT NOT NULL,
    "revoked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "revoked_tokens_pkey" PRIMARY KEY ("jti")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "kid" TEXT NOT NULL,
    "alg" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_private" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "signs_from" TIMESTAMPTZ(6) NOT NULL,
    "retires_at" TIMESTAMPTZ(6),
    "retired_at" TIMESTAMPTZ(6),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "attempts" (
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "window_start" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "broker_states" (
    "state_hash" BYTEA NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "browser_hash" BYTEA NOT NULL,
    "sealed_request" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),

    CONSTRAINT "broker_states_pkey" PRIMARY KEY ("state_hash")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event" TEXT NOT NULL,
    "actor" TEXT,
    "person_id" UUID,
    "client_id" TEXT,
    "api_id" TEXT,
    "auth_method_id" TEXT,
    "request_id" TEXT,
    "ip" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "apis_url_key" ON "apis"("url");

-- CreateIndex
CREATE INDEX "combinations_api_id_idx" ON "combinations"("api_id");

-- CreateIndex
CREATE INDEX "clients_owner_id_idx" ON "clients"("owner_id");

-- CreateIndex
CREATE UNIQUE INDEX "client_secrets_client_id_secret_hash_key" ON "client_secrets"("client_id", "secret_hash");

-- CreateIndex
CREATE INDEX "subscriptions_api_id_state_idx" ON "subscriptions"("api_id", "state");

-- CreateIndex
CREATE INDEX "subscription_events_client_id_api_id_id_idx" ON "subscription_events"("client_id", "api_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "people_email_key" ON "people"("email");

-- CreateIndex
CREATE INDEX "external_identities_person_id_idx" ON "external_identities"("person_id");

-- CreateIndex
CREATE INDEX "sessions_person_id_idx" ON "sessions"("person_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "consents_person_id_client_id_api_id_key" ON "consents"("person_id", "client_id", "api_id");

-- CreateIndex
CREATE INDEX "token_families_person_id_client_id_api_id_idx" ON "token_families"("person_id", "client_id", "api_id");

-- CreateIndex
CREATE INDEX "token_families_client_id_api_id_idx" ON "token_families"("client_id", "api_id");

-- CreateIndex
CREATE INDEX "token_families_expires_at_idx" ON "token_families"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "codes_family_id_key" ON "codes"("family_id");

-- CreateIndex
CREATE INDEX "codes_code_challenge_idx" ON "codes"("code_challenge");

-- CreateIndex
CREATE INDEX "codes_person_id_client_id_api_id_idx" ON "codes"("person_id", "client_id", "api_id");

-- CreateIndex
CREATE INDEX "codes_expires_at_idx" ON "codes"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "refresh_tokens_parent_hash_key" ON "refresh_tokens"("parent_hash");

-- CreateIndex
CREATE INDEX "refresh_tokens_family_id_idx" ON "refresh_tokens"("family_id");

-- CreateIndex
CREATE INDEX "opaque_tokens_family_id_idx" ON "opaque_tokens"("family_id");

-- CreateIndex
CREATE INDEX "opaque_tokens_expires_at_idx" ON "opaque_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "revoked_tokens_expires_at_idx" ON "revoked_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "signing_keys_alg_signs_from_idx" ON "signing_keys"("alg", "signs_from");

-- CreateIndex
CREATE INDEX "attempts_expires_at_idx" ON "attempts"("expires_at");

-- CreateIndex
CREATE INDEX "broker_states_expires_at_idx" ON "broker_states"("expires_at");

-- CreateIndex
CREATE INDEX "audit_events_at_idx" ON "audit_events"("at");

-- CreateIndex
CREATE INDEX "audit_events_event_at_idx" ON "audit_events"("event", "at");

-- CreateIndex
CREATE INDEX "audit_events_client_id_at_idx" ON "audit_events"("client_id", "at");

-- CreateIndex
CREATE INDEX "audit_events_person_id_at_idx" ON "audit_events"("person_id", "at");

-- AddForeignKey
ALTER TABLE "api_scopes" ADD CONSTRAINT "api_scopes_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "apis"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "combinations" ADD CONSTRAINT "combinations_auth_method_id_fkey" FOREIGN KEY ("auth_method_id") REFERENCES "auth_methods"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "combinations" ADD CONSTRAINT "combinations_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "apis"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "clients" ADD CONSTRAINT "clients_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "people"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "client_secrets" ADD CONSTRAINT "client_secrets_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "apis"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_events" ADD CONSTRAINT "subscription_events_client_id_api_id_fkey" FOREIGN KEY ("client_id", "api_id") REFERENCES "subscriptions"("client_id", "api_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_identities" ADD CONSTRAINT "external_identities_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "consents" ADD CONSTRAINT "consents_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token_families" ADD CONSTRAINT "token_families_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "codes" ADD CONSTRAINT "codes_family_id_fkey" FOREIGN KEY ("family_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_family_id_fkey" FOREIGN KEY ("family_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opaque_tokens" ADD CONSTRAINT "opaque_tokens_family_id_fkey" FOREIGN KEY ("family_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One row says which version of the registry is current. Triggers move it, so no writer can forget.
INSERT INTO "directory_version" ("id", "version") VALUES (1, 1);

CREATE FUNCTION "bump_directory_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "directory_version" SET "version" = "version" + 1 WHERE "id" = 1;
  NOTIFY gatehouse_directory;
  RETURN NULL;
END $$;

CREATE TRIGGER "directory_changed" AFTER INSERT OR UPDATE OR DELETE ON "auth_methods" FOR EACH STATEMENT EXECUTE FUNCTION "bump_directory_version"();
CREATE TRIGGER "directory_changed" AFTER INSERT OR UPDATE OR DELETE ON "apis" FOR EACH STATEMENT EXECUTE FUNCTION "bump_directory_version"();
CREATE TRIGGER "directory_changed" AFTER INSERT OR UPDATE OR DELETE ON "api_scopes" FOR EACH STATEMENT EXECUTE FUNCTION "bump_directory_version"();
CREATE TRIGGER "directory_changed" AFTER INSERT OR UPDATE OR DELETE ON "combinations" FOR EACH STATEMENT EXECUTE FUNCTION "bump_directory_version"();
CREATE TRIGGER "directory_changed" AFTER INSERT OR UPDATE OR DELETE ON "clients" FOR EACH STATEMENT EXECUTE FUNCTION "bump_directory_version"();
CREATE TRIGGER "directory_changed" AFTER INSERT OR DELETE OR UPDATE OF "secret_hash", "expires_at" ON "client_secrets" FOR EACH STATEMENT EXECUTE FUNCTION "bump_directory_version"();
CREATE TRIGGER "directory_changed" AFTER INSERT OR UPDATE OR DELETE ON "subscriptions" FOR EACH STATEMENT EXECUTE FUNCTION "bump_directory_version"();
CREATE TRIGGER "directory_changed" AFTER INSERT OR UPDATE OR DELETE ON "signing_keys" FOR EACH STATEMENT EXECUTE FUNCTION "bump_directory_version"();

-- What no caller may get wrong.
ALTER TABLE "auth_methods" ADD CONSTRAINT "auth_methods_type" CHECK ("type" IN ('local', 'external', 'broker'));
ALTER TABLE "apis" ADD CONSTRAINT "apis_format" CHECK ("access_token_format" IN ('jwt', 'opaque'));
ALTER TABLE "apis" ADD CONSTRAINT "apis_alg" CHECK ("signing_alg" IN ('ES256', 'RS256'));
ALTER TABLE "clients" ADD CONSTRAINT "clients_type" CHECK ("application_type" IN ('web', 'browser', 'native'));
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_state" CHECK ("state" IN ('pending', 'approved', 'rejected', 'suspended', 'revoked'));
ALTER TABLE "people" ADD CONSTRAINT "people_email_lower" CHECK ("email" = lower("email"));
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_kind" CHECK ("kind" IN ('sign-in', 'console'));
