-- Changes of an address that wait for the codes of both mailboxes.
SET LOCAL lock_timeout = '200ms';
CREATE TABLE "address_changes" (
    "person_id" UUID NOT NULL,
    "from_email" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "handle_hash" BYTEA NOT NULL,
    "codes_hash" BYTEA,
    "attempts_left" INTEGER NOT NULL DEFAULT 5,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "address_changes_pkey" PRIMARY KEY ("person_id")
);
CREATE INDEX "address_changes_expires_at_idx" ON "address_changes"("expires_at");

ALTER TABLE "address_changes" ADD CONSTRAINT "address_changes_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
