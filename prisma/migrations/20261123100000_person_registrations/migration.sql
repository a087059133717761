-- Accounts that people are making: begun by themselves with a code in a mail, or by an invitation.
SET LOCAL lock_timeout = '200ms';
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
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "person_registrations_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "person_registrations_handle_hash_key" ON "person_registrations"("handle_hash");
CREATE INDEX "person_registrations_auth_method_id_email_idx" ON "person_registrations"("auth_method_id", "email");
CREATE INDEX "person_registrations_kind_created_at_id_idx" ON "person_registrations"("kind", "created_at", "id");
CREATE INDEX "person_registrations_expires_at_idx" ON "person_registrations"("expires_at");

ALTER TABLE "person_registrations" ADD CONSTRAINT "person_registrations_auth_method_id_fkey" FOREIGN KEY ("auth_method_id") REFERENCES "auth_methods"("id") ON DELETE CASCADE ON UPDATE CASCADE;
