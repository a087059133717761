-- The tables of the first release. Functions and triggers are in prisma/functions, which is applied after the
-- migrations.

-- Each ending of tokens renews an epoch (docs/decisions/0003). The function is declared for the defaults of columns;
-- prisma/functions/next_epoch.sql defines it.
CREATE SEQUENCE "epochs";
CREATE FUNCTION "next_epoch"() RETURNS BIGINT LANGUAGE sql AS 'SELECT NULL::BIGINT';
-- The same for an index: prisma/functions/uri_hosts.sql defines it before there is a row.
CREATE FUNCTION "uri_hosts"("uris" TEXT[]) RETURNS TEXT[] LANGUAGE sql IMMUTABLE AS 'SELECT NULL::TEXT[]';

CREATE TABLE "directory_version" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "version" BIGINT NOT NULL DEFAULT 1,

    CONSTRAINT "directory_version_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "directory_changes" (
    "version" BIGINT NOT NULL,
    "client_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "directory_changes_pkey" PRIMARY KEY ("version","client_id")
);

CREATE TABLE "auth_methods" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_texts" TEXT,
    "config" JSONB NOT NULL DEFAULT '{}',
    "sealed_secret" TEXT,
    "position" INTEGER NOT NULL DEFAULT 0,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "epoch" BIGINT NOT NULL DEFAULT next_epoch(),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "auth_methods_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "apis" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_texts" TEXT,
    "description" TEXT NOT NULL DEFAULT '',
    "description_texts" TEXT,
    "url" TEXT NOT NULL,
    "contact_uri" TEXT,
    "tos_uri" TEXT,
    "policy_uri" TEXT,
    "brand" JSONB,
    "texts" JSONB,
    "access_token_ttl" INTEGER NOT NULL,
    "access_token_format" TEXT NOT NULL,
    "signing_alg" TEXT NOT NULL,
    "refresh_token_ttl" INTEGER NOT NULL,
    "refresh_family_ttl" INTEGER NOT NULL,
    "introspection_secret_hash" BYTEA,
    "token_claims" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "issuer_hosts" JSONB,
    "pairwise_subjects" BOOLEAN NOT NULL DEFAULT false,
    "profile" TEXT,
    "required_acr" TEXT,
    "second_factor" TEXT,
    "require_redirect_uri" BOOLEAN NOT NULL DEFAULT true,
    "require_scope" BOOLEAN NOT NULL DEFAULT false,
    "require_approval" BOOLEAN NOT NULL DEFAULT false,
    "approvers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "agents" TEXT NOT NULL DEFAULT 'off',
    "agent_hosts" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "auto_approve" JSONB NOT NULL DEFAULT '[]',
    "position" INTEGER NOT NULL DEFAULT 0,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "apis_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "api_scopes" (
    "api_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "description_texts" TEXT,
    "required_acr" TEXT,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "api_scopes_pkey" PRIMARY KEY ("api_id","name")
);

CREATE TABLE "combinations" (
    "auth_method_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,
    "epoch" BIGINT NOT NULL DEFAULT next_epoch(),

    CONSTRAINT "combinations_pkey" PRIMARY KEY ("auth_method_id","api_id")
);

CREATE TABLE "clients" (
    "client_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_texts" TEXT,
    "confidential" BOOLEAN NOT NULL,
    "application_type" TEXT NOT NULL,
    "redirect_uris" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "allowed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "post_logout_redirect_uris" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "id_jag_audiences" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "backchannel_logout_uri" TEXT,
    "backchannel_logout_session_required" BOOLEAN NOT NULL DEFAULT false,
    "id_token_signed_response_alg" TEXT NOT NULL DEFAULT 'RS256',
    "subject_type" TEXT NOT NULL DEFAULT 'public',
    "sector_identifier_uri" TEXT,
    "token_endpoint_auth_method" TEXT,
    "jwks" JSONB,
    "jwks_uri" TEXT,
    "default_acr_values" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "require_auth_time" BOOLEAN NOT NULL DEFAULT false,
    "token_endpoint_as_audience" BOOLEAN NOT NULL DEFAULT false,
    "logo_uri" TEXT,
    "tos_uri" TEXT,
    "policy_uri" TEXT,
    "brand" JSONB,
    "texts" JSONB,
    "origin" TEXT,
    "grant_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "document_read_at" TIMESTAMPTZ(6),
    "identity_changed_at" TIMESTAMPTZ(6),
    "owner_id" UUID,
    "disabled_at" TIMESTAMPTZ(6),
    "config_secret_hash" BYTEA,
    "epoch" BIGINT NOT NULL DEFAULT next_epoch(),
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "clients_pkey" PRIMARY KEY ("client_id")
);

CREATE TABLE "logos" (
    "hash" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "small" BYTEA NOT NULL,
    "large" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "logos_pkey" PRIMARY KEY ("hash")
);

CREATE TABLE "client_secrets" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "client_id" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6),
    "last_used_at" TIMESTAMPTZ(6),

    CONSTRAINT "client_secrets_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "subscriptions" (
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "trusted" BOOLEAN NOT NULL DEFAULT false,
    "machine" BOOLEAN NOT NULL DEFAULT false,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "message" TEXT,
    "requested_by" UUID,
    "decided_by" UUID,
    "decided_at" TIMESTAMPTZ(6),
    "reason" TEXT,
    "max_days" INTEGER,
    "required_claim" JSONB,
    "note" TEXT,
    "epoch" BIGINT NOT NULL DEFAULT next_epoch(),
    "trust_epoch" BIGINT NOT NULL DEFAULT 0,
    "machine_epoch" BIGINT NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("client_id","api_id")
);

CREATE TABLE "subscription_events" (
    "id" BIGSERIAL NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "from_state" TEXT,
    "to_state" TEXT NOT NULL,
    "trusted" BOOLEAN NOT NULL,
    "machine" BOOLEAN NOT NULL DEFAULT false,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "redirect_uris" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "client_kind" TEXT,
    "client_brand" JSONB,
    "actor" TEXT NOT NULL,
    "actor_id" UUID,
    "reason" TEXT,
    "replaced" JSONB,
    "undone_at" TIMESTAMPTZ(6),
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "subscription_events_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "agent_requests" (
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "agent_requests_pkey" PRIMARY KEY ("client_id","api_id","person_id")
);

CREATE TABLE "people" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "email" TEXT,
    "email_verified_at" TIMESTAMPTZ(6),
    "name" TEXT NOT NULL DEFAULT '',
    "picture" TEXT,
    "locale" TEXT,
    "zoneinfo" TEXT,
    "password_hash" TEXT,
    "password_changed_at" TIMESTAMPTZ(6),
    "config_password" TEXT,
    "roles" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "let_in_at" TEXT[],
    "disabled_at" TIMESTAMPTZ(6),
    "epoch" BIGINT NOT NULL DEFAULT 0,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "factor_level" SMALLINT NOT NULL DEFAULT 0,
    "factor_grace_from" TIMESTAMPTZ(6),
    "factor_offered_at" TIMESTAMPTZ(6),
    "last_sign_in_at" TIMESTAMPTZ(6),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "people_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "external_identities" (
    "auth_method_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "email" TEXT,
    "name" TEXT,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "claims" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "external_identities_pkey" PRIMARY KEY ("auth_method_id","subject")
);

CREATE TABLE "sessions" (
    "id_hash" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "person_epoch" BIGINT NOT NULL DEFAULT 0,
    "auth_time" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),
    "ip" TEXT,
    "user_agent" TEXT,
    "sid" UUID NOT NULL DEFAULT gen_random_uuid(),
    "amr" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "broker_acr" TEXT,
    "acr_level" SMALLINT NOT NULL DEFAULT 1,
    "trusted_browser" UUID,
    "name" TEXT,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id_hash")
);

CREATE TABLE "passkeys" (
    "credential_id" BYTEA NOT NULL,
    "person_id" UUID NOT NULL,
    "rp_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "aaguid" UUID,
    "backup_eligible" BOOLEAN NOT NULL,
    "backed_up" BOOLEAN NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "last_used_at" TIMESTAMPTZ(6),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("credential_id")
);

CREATE TABLE "totp_secrets" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "person_id" UUID NOT NULL,
    "slot" SMALLINT NOT NULL DEFAULT 1,
    "name" TEXT,
    "sealed_secret" TEXT NOT NULL,
    "last_step" BIGINT NOT NULL,
    "wrong_codes" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "last_used_at" TIMESTAMPTZ(6),

    CONSTRAINT "totp_secrets_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "recovery_codes" (
    "code_hash" BYTEA NOT NULL,
    "person_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "used_at" TIMESTAMPTZ(6),

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("code_hash")
);

CREATE TABLE "trusted_browsers" (
    "token_hash" BYTEA NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "person_id" UUID NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "user_agent" TEXT,
    "name" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "last_used_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "trusted_browsers_pkey" PRIMARY KEY ("token_hash")
);

CREATE TABLE "consents" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "person_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "earlier_scopes" JSONB,
    "epoch" BIGINT NOT NULL DEFAULT next_epoch(),
    "granted_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "consents_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "delegations" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "person_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "scopes" TEXT[] NOT NULL,
    "until" TIMESTAMPTZ(6) NOT NULL,
    "epoch" BIGINT NOT NULL DEFAULT next_epoch(),
    "given_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "delegations_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "token_families" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "basis" TEXT NOT NULL,
    "scopes" TEXT[],
    "auth_time" TIMESTAMPTZ(6) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "revoked_at" TIMESTAMPTZ(6),
    "revoked_reason" TEXT,
    "parent_id" UUID,
    "act" JSONB,
    "epoch" BIGINT NOT NULL DEFAULT 0,
    "subject_jti" TEXT,
    "subject_hash" BYTEA,
    "sid" UUID,
    "openid" JSONB,
    "exchange_depth" INTEGER NOT NULL DEFAULT 0,
    "ceilings" JSONB,
    "issuer_host" TEXT,
    "acr_level" SMALLINT,
    "amr" TEXT[],

    CONSTRAINT "token_families_pkey" PRIMARY KEY ("id")
);

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
    "issued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),
    "family_id" UUID,
    "epoch" BIGINT NOT NULL DEFAULT 0,
    "session_hash" BYTEA,
    "openid" JSONB,
    "issuer_host" TEXT,
    "acr_level" SMALLINT,
    "amr" TEXT[],

    CONSTRAINT "codes_pkey" PRIMARY KEY ("code_hash")
);

CREATE TABLE "refresh_tokens" (
    "token_hash" BYTEA NOT NULL,
    "family_id" UUID NOT NULL,
    "parent_hash" BYTEA,
    "issued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),

    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("token_hash")
);

CREATE TABLE "opaque_tokens" (
    "token_hash" BYTEA NOT NULL,
    "family_id" UUID NOT NULL,
    "scopes" TEXT[],
    "issued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "opaque_tokens_pkey" PRIMARY KEY ("token_hash")
);

CREATE TABLE "machine_tokens" (
    "token_hash" BYTEA NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "scopes" TEXT[],
    "issuer_host" TEXT,
    "epoch" BIGINT NOT NULL,
    "issued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "machine_tokens_pkey" PRIMARY KEY ("token_hash")
);

CREATE TABLE "revoked_tokens" (
    "jti" TEXT NOT NULL,
    "revoked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "revoked_tokens_pkey" PRIMARY KEY ("jti")
);

CREATE TABLE "signing_keys" (
    "kid" TEXT NOT NULL,
    "alg" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_private" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "signs_from" TIMESTAMPTZ(6) NOT NULL,
    "retires_at" TIMESTAMPTZ(6),
    "retired_at" TIMESTAMPTZ(6),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("kid")
);

CREATE TABLE "subject_salt" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "sealed_salt" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "subject_salt_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "attempts" (
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "strikes" INTEGER NOT NULL DEFAULT 0,
    "window_start" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("key")
);

CREATE TABLE "broker_states" (
    "state_hash" BYTEA NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "browser_hash" BYTEA NOT NULL,
    "sealed_request" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),

    CONSTRAINT "broker_states_pkey" PRIMARY KEY ("state_hash")
);

CREATE TABLE "usage_counts" (
    "minutes" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "kind" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "n" BIGINT NOT NULL,
    "longest" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_counts_pkey" PRIMARY KEY ("minutes","at","kind","what","detail","api_id","auth_method_id")
);

CREATE TABLE "audit_events" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "event" TEXT NOT NULL,
    "actor" TEXT,
    "person_id" UUID,
    "client_id" TEXT,
    "api_id" TEXT,
    "auth_method_id" TEXT,
    "request_id" TEXT,
    "ip" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id","at")
) PARTITION BY RANGE ("at");

CREATE TABLE "mail_tokens" (
    "token_hash" BYTEA NOT NULL,
    "purpose" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),

    CONSTRAINT "mail_tokens_pkey" PRIMARY KEY ("token_hash")
);

CREATE TABLE "address_changes" (
    "person_id" UUID NOT NULL,
    "from_email" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "handle_hash" BYTEA NOT NULL,
    "codes_hash" BYTEA,
    "attempts_left" INTEGER NOT NULL DEFAULT 5,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "address_changes_pkey" PRIMARY KEY ("person_id")
);

CREATE TABLE "person_registrations" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "auth_method_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "handle_hash" BYTEA NOT NULL,
    "code_hash" BYTEA,
    "link_hash" BYTEA,
    "attempts_left" INTEGER NOT NULL DEFAULT 5,
    "state" TEXT NOT NULL DEFAULT 'open',
    "api_id" TEXT,
    "client_id" TEXT,
    "invited_by" TEXT,
    "name" TEXT NOT NULL DEFAULT '',
    "password_hash" TEXT,
    "language" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "person_registrations_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "used_forms" (
    "token_hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "used_forms_pkey" PRIMARY KEY ("token_hash")
);

CREATE TABLE "used_assertions" (
    "id_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "used_assertions_pkey" PRIMARY KEY ("id_hash")
);

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
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "kind" BYTEA,
    "window_start" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "count" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "refused_requests_pkey" PRIMARY KEY ("id","window_start")
) PARTITION BY RANGE ("window_start");

CREATE TABLE "refusals" (
    "window_start" TIMESTAMPTZ(6) NOT NULL,
    "key" BYTEA NOT NULL,
    "event" TEXT NOT NULL,
    "actor" TEXT,
    "client_id" TEXT,
    "api_id" TEXT,
    "auth_method_id" TEXT,
    "ip" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "count" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "refusals_pkey" PRIMARY KEY ("window_start","key")
);

CREATE TABLE "webhook_cursor" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "last_event_id" BIGINT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "locked_until" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "webhook_cursor_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "logout_deliveries" (
    "id" BIGSERIAL NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "sid" UUID NOT NULL,
    "issuer_host" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "logout_deliveries_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "maintenance_runs" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "finished_at" TIMESTAMPTZ(6),
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "complete" BOOLEAN NOT NULL DEFAULT true,
    "failed_at" TIMESTAMPTZ(6),
    "failure" TEXT,

    CONSTRAINT "maintenance_runs_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "checklist_steps" (
    "step" TEXT NOT NULL,
    "done_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "checklist_steps_pkey" PRIMARY KEY ("step")
);

CREATE TABLE "checklists_away" (
    "person_id" UUID NOT NULL,
    "list" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "checklists_away_pkey" PRIMARY KEY ("person_id","list")
);

CREATE TABLE "calendars" (
    "token_hash" BYTEA NOT NULL,
    "person_id" UUID NOT NULL,
    "list" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "last_read_at" TIMESTAMPTZ(6),

    CONSTRAINT "calendars_pkey" PRIMARY KEY ("token_hash")
);

CREATE INDEX "directory_changes_client_id_version_idx" ON "directory_changes"("client_id", "version");
CREATE INDEX "directory_changes_at_idx" ON "directory_changes"("at");
CREATE UNIQUE INDEX "apis_url_key" ON "apis"("url");
CREATE INDEX "combinations_api_id_idx" ON "combinations"("api_id");
CREATE INDEX "clients_created_at_client_id_idx" ON "clients"("created_at", "client_id");
CREATE INDEX "clients_owner_id_client_id_idx" ON "clients"("owner_id", "client_id");
CREATE INDEX "logos_source_idx" ON "logos"("source");
CREATE UNIQUE INDEX "client_secrets_client_id_secret_hash_key" ON "client_secrets"("client_id", "secret_hash");
CREATE INDEX "subscriptions_api_id_state_idx" ON "subscriptions"("api_id", "state");
CREATE INDEX "subscriptions_updated_at_client_id_api_id_idx" ON "subscriptions"("updated_at", "client_id", "api_id");
CREATE INDEX "subscriptions_state_updated_at_client_id_api_id_idx" ON "subscriptions"("state", "updated_at", "client_id", "api_id");
CREATE INDEX "subscription_events_client_id_api_id_id_idx" ON "subscription_events"("client_id", "api_id", "id");
CREATE INDEX "agent_requests_person_id_asked_at_idx" ON "agent_requests"("person_id", "asked_at");
CREATE UNIQUE INDEX "people_email_key" ON "people"("email");
CREATE INDEX "people_created_at_id_idx" ON "people"("created_at", "id");
CREATE INDEX "external_identities_person_id_idx" ON "external_identities"("person_id");
CREATE INDEX "external_identities_auth_method_id_email_idx" ON "external_identities"("auth_method_id", "email");
CREATE INDEX "sessions_person_id_idx" ON "sessions"("person_id");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");
CREATE INDEX "sessions_auth_time_id_hash_idx" ON "sessions"("auth_time", "id_hash");
CREATE INDEX "passkeys_person_id_created_at_idx" ON "passkeys"("person_id", "created_at");
CREATE INDEX "passkeys_rp_id_idx" ON "passkeys"("rp_id");
CREATE UNIQUE INDEX "totp_secrets_person_id_slot_key" ON "totp_secrets"("person_id", "slot");
CREATE INDEX "recovery_codes_person_id_idx" ON "recovery_codes"("person_id");
CREATE UNIQUE INDEX "trusted_browsers_id_key" ON "trusted_browsers"("id");
CREATE INDEX "trusted_browsers_person_id_idx" ON "trusted_browsers"("person_id");
CREATE INDEX "trusted_browsers_expires_at_idx" ON "trusted_browsers"("expires_at");
CREATE INDEX "consents_client_id_api_id_idx" ON "consents"("client_id", "api_id");
CREATE UNIQUE INDEX "consents_person_id_client_id_api_id_key" ON "consents"("person_id", "client_id", "api_id");
CREATE INDEX "delegations_client_id_idx" ON "delegations"("client_id");
CREATE INDEX "delegations_api_id_idx" ON "delegations"("api_id");
CREATE INDEX "delegations_until_idx" ON "delegations"("until");
CREATE UNIQUE INDEX "delegations_person_id_client_id_api_id_key" ON "delegations"("person_id", "client_id", "api_id");
CREATE INDEX "token_families_person_id_client_id_api_id_idx" ON "token_families"("person_id", "client_id", "api_id");
CREATE INDEX "token_families_client_id_api_id_idx" ON "token_families"("client_id", "api_id");
CREATE INDEX "token_families_expires_at_idx" ON "token_families"("expires_at");
CREATE INDEX "token_families_parent_id_idx" ON "token_families"("parent_id");
CREATE UNIQUE INDEX "codes_family_id_key" ON "codes"("family_id");
CREATE INDEX "codes_code_challenge_idx" ON "codes"("code_challenge");
CREATE INDEX "codes_person_id_client_id_api_id_idx" ON "codes"("person_id", "client_id", "api_id");
CREATE UNIQUE INDEX "refresh_tokens_family_id_parent_hash_key" ON "refresh_tokens"("family_id", "parent_hash");
CREATE INDEX "opaque_tokens_family_id_idx" ON "opaque_tokens"("family_id");
CREATE INDEX "opaque_tokens_expires_at_idx" ON "opaque_tokens"("expires_at");
CREATE INDEX "machine_tokens_client_id_expires_at_idx" ON "machine_tokens"("client_id", "expires_at");
CREATE INDEX "machine_tokens_expires_at_idx" ON "machine_tokens"("expires_at");
CREATE INDEX "revoked_tokens_expires_at_idx" ON "revoked_tokens"("expires_at");
CREATE INDEX "signing_keys_alg_signs_from_idx" ON "signing_keys"("alg", "signs_from");
CREATE INDEX "attempts_expires_at_idx" ON "attempts"("expires_at");
CREATE INDEX "broker_states_expires_at_idx" ON "broker_states"("expires_at");
CREATE INDEX "audit_events_at_idx" ON "audit_events"("at");
CREATE INDEX "audit_events_event_at_idx" ON "audit_events"("event", "at");
CREATE INDEX "audit_events_client_id_at_idx" ON "audit_events"("client_id", "at");
CREATE INDEX "audit_events_person_id_at_idx" ON "audit_events"("person_id", "at");
CREATE INDEX "audit_events_actor_at_idx" ON "audit_events"("actor", "at");
CREATE INDEX "mail_tokens_person_id_idx" ON "mail_tokens"("person_id");
CREATE INDEX "mail_tokens_expires_at_idx" ON "mail_tokens"("expires_at");
CREATE INDEX "address_changes_expires_at_idx" ON "address_changes"("expires_at");
CREATE UNIQUE INDEX "person_registrations_handle_hash_key" ON "person_registrations"("handle_hash");
CREATE INDEX "person_registrations_auth_method_id_email_idx" ON "person_registrations"("auth_method_id", "email");
CREATE INDEX "person_registrations_kind_created_at_id_idx" ON "person_registrations"("kind", "created_at", "id");
CREATE INDEX "person_registrations_expires_at_idx" ON "person_registrations"("expires_at");
CREATE INDEX "used_forms_used_at_idx" ON "used_forms"("used_at");
CREATE INDEX "used_assertions_expires_at_idx" ON "used_assertions"("expires_at");
CREATE INDEX "refused_requests_client_id_at_id_idx" ON "refused_requests"("client_id", "at", "id");
CREATE INDEX "refused_requests_at_idx" ON "refused_requests"("at");
CREATE UNIQUE INDEX "refused_requests_client_id_window_start_kind_key" ON "refused_requests"("client_id", "window_start", "kind");
CREATE INDEX "logout_deliveries_client_id_next_try_at_idx" ON "logout_deliveries"("client_id", "next_try_at");
CREATE INDEX "logout_deliveries_next_try_at_idx" ON "logout_deliveries"("next_try_at");
CREATE UNIQUE INDEX "logout_deliveries_sid_client_id_api_id_issuer_host_key" ON "logout_deliveries"("sid", "client_id", "api_id", "issuer_host");
CREATE UNIQUE INDEX "calendars_person_id_list_key" ON "calendars"("person_id", "list");
ALTER TABLE "api_scopes" ADD CONSTRAINT "api_scopes_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "apis"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "combinations" ADD CONSTRAINT "combinations_auth_method_id_fkey" FOREIGN KEY ("auth_method_id") REFERENCES "auth_methods"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "combinations" ADD CONSTRAINT "combinations_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "apis"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "clients" ADD CONSTRAINT "clients_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "people"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "client_secrets" ADD CONSTRAINT "client_secrets_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "apis"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "subscription_events" ADD CONSTRAINT "subscription_events_client_id_api_id_fkey" FOREIGN KEY ("client_id", "api_id") REFERENCES "subscriptions"("client_id", "api_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "agent_requests" ADD CONSTRAINT "agent_requests_client_id_api_id_fkey" FOREIGN KEY ("client_id", "api_id") REFERENCES "subscriptions"("client_id", "api_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "agent_requests" ADD CONSTRAINT "agent_requests_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "external_identities" ADD CONSTRAINT "external_identities_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "totp_secrets" ADD CONSTRAINT "totp_secrets_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "trusted_browsers" ADD CONSTRAINT "trusted_browsers_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "consents" ADD CONSTRAINT "consents_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "delegations" ADD CONSTRAINT "delegations_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "delegations" ADD CONSTRAINT "delegations_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "delegations" ADD CONSTRAINT "delegations_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "apis"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "token_families" ADD CONSTRAINT "token_families_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "token_families" ADD CONSTRAINT "token_families_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "codes" ADD CONSTRAINT "codes_family_id_fkey" FOREIGN KEY ("family_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "opaque_tokens" ADD CONSTRAINT "opaque_tokens_family_id_fkey" FOREIGN KEY ("family_id") REFERENCES "token_families"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "mail_tokens" ADD CONSTRAINT "mail_tokens_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "address_changes" ADD CONSTRAINT "address_changes_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "person_registrations" ADD CONSTRAINT "person_registrations_auth_method_id_fkey" FOREIGN KEY ("auth_method_id") REFERENCES "auth_methods"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "refused_requests" ADD CONSTRAINT "refused_requests_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "logout_deliveries" ADD CONSTRAINT "logout_deliveries_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "checklists_away" ADD CONSTRAINT "checklists_away_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "calendars" ADD CONSTRAINT "calendars_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Below is what schema.prisma cannot say.

-- For rows without a partition; maintenance makes the partitions (prisma/functions/keep_partitions.sql).
CREATE TABLE "audit_events_default" PARTITION OF "audit_events" DEFAULT;
CREATE TABLE "refused_requests_default" PARTITION OF "refused_requests" DEFAULT;

-- A refresh token is updated once, when it is used, and a session at each use, in columns that no index holds. With
-- room left on their pages the new version of a row stays beside the old one, and no index is written to.
ALTER TABLE "refresh_tokens" SET (fillfactor = 60);
ALTER TABLE "sessions" SET (fillfactor = 70);

-- Few of many rows: agents that were not approved, codes that were not redeemed, sign-ins that have ended, families of
-- `openid` requests, and clients that share a logo.
CREATE INDEX "clients_agents_idx" ON "clients"("created_at") WHERE "origin" IS NOT NULL;
CREATE INDEX "codes_unredeemed_idx" ON "codes"("expires_at") WHERE "family_id" IS NULL;
CREATE INDEX "sessions_ended_idx" ON "sessions"("ended_at") WHERE "ended_at" IS NOT NULL;
CREATE INDEX "token_families_sid_idx" ON "token_families"("sid") WHERE "openid" IS NOT NULL;
CREATE INDEX "clients_logo_idx" ON "clients"(("brand" ->> 'logo')) WHERE "brand" IS NOT NULL;

-- Names as people expect them in a list: capitals beside small letters, and Team 2 before Team 10.
CREATE COLLATION "by_name" (provider = icu, locale = 'und-u-kn-true');

-- The orders of lists (lib/store/database/list.ts).
CREATE INDEX "people_shown_name_idx" ON "people"((coalesce(nullif("name", ''), "email", '')) COLLATE "by_name", "id");
CREATE INDEX "people_last_sign_in_idx" ON "people"((coalesce("last_sign_in_at", '-infinity'::timestamptz)), "id");
CREATE INDEX "clients_name_idx" ON "clients"("name" COLLATE "by_name", "client_id");
CREATE INDEX "apis_name_idx" ON "apis"("name" COLLATE "by_name", "id");
CREATE INDEX "auth_methods_name_idx" ON "auth_methods"("name" COLLATE "by_name", "id");
-- Of very many people, those whose name or address begins with a text.
CREATE INDEX "people_name_begins_idx" ON "people"((lower("name")) text_pattern_ops);
CREATE INDEX "people_email_begins_idx" ON "people"((("email" || '')) text_pattern_ops);
-- What one field of the console finds clients by (lib/store/find.ts).
CREATE INDEX "clients_id_begins_idx" ON "clients"((("client_id" || '')) text_pattern_ops);
CREATE INDEX "clients_name_begins_idx" ON "clients"((lower("name")) text_pattern_ops);
CREATE INDEX "clients_redirect_hosts_idx" ON "clients" USING gin (uri_hosts("redirect_uris"));
-- Few of many people.
CREATE INDEX "people_with_roles_idx" ON "people"("created_at", "id") WHERE "roles" <> '{}';
CREATE INDEX "people_disabled_idx" ON "people"("created_at", "id") WHERE "disabled_at" IS NOT NULL;
CREATE INDEX "people_with_factors_idx" ON "people"("created_at", "id") WHERE "factor_level" > 0;

-- What no statement may get wrong.
ALTER TABLE "apis" ADD CONSTRAINT "apis_format" CHECK ("access_token_format" IN ('jwt', 'opaque'));
ALTER TABLE "apis" ADD CONSTRAINT "apis_alg" CHECK ("signing_alg" IN ('ES256', 'RS256'));
ALTER TABLE "clients" ADD CONSTRAINT "clients_type" CHECK ("application_type" IN ('web', 'browser', 'native'));
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_state" CHECK ("state" IN ('pending', 'approved', 'rejected', 'suspended', 'revoked'));
ALTER TABLE "people" ADD CONSTRAINT "people_email_lower" CHECK ("email" = lower("email"));
ALTER TABLE "totp_secrets" ADD CONSTRAINT "totp_secrets_slot" CHECK ("slot" BETWEEN 1 AND 5);
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_kind" CHECK ("kind" IN ('sign-in', 'console'));
ALTER TABLE "mail_tokens" ADD CONSTRAINT "mail_tokens_purpose" CHECK ("purpose" IN ('verify-email', 'password-reset'));
ALTER TABLE "subject_salt" ADD CONSTRAINT "subject_salt_one" CHECK ("id" = 1);
ALTER TABLE "maintenance_runs" ADD CONSTRAINT "maintenance_runs_one" CHECK ("id" = 1);
ALTER TABLE "checklists_away" ADD CONSTRAINT "checklists_away_list" CHECK ("list" IN ('service', 'own'));
ALTER TABLE "calendars" ADD CONSTRAINT "calendars_list" CHECK ("list" IN ('service', 'own'));
-- a trigger fills it (prisma/functions/note_client.sql), so Prisma's client may leave it out
ALTER TABLE "subscription_events" ADD CONSTRAINT "subscription_events_client_kind" CHECK ("client_kind" IS NOT NULL);

-- Tokens of the built-in management API carry the power of their person, so they rest on a consent that this person
-- gave on the page, and on nothing else: no trust, no password grant, no exchange, no delegation (docs/decisions/0014).
ALTER TABLE "apis" ADD CONSTRAINT "apis_management_waits" CHECK ("id" <> 'management' OR "require_approval");
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_management_untrusted" CHECK ("api_id" <> 'management' OR NOT "trusted");
ALTER TABLE "codes" ADD CONSTRAINT "codes_management_consent" CHECK ("api_id" <> 'management' OR "basis" = 'consent' OR "revoked_at" IS NOT NULL);
ALTER TABLE "token_families" ADD CONSTRAINT "token_families_management_consent" CHECK ("api_id" <> 'management' OR "basis" = 'consent' OR "revoked_at" IS NOT NULL);
ALTER TABLE "delegations" ADD CONSTRAINT "delegations_not_management" CHECK ("api_id" <> 'management');

-- One row says which version of the registry is current; triggers move it.
INSERT INTO "directory_version" ("id", "version") VALUES (1, 1);
