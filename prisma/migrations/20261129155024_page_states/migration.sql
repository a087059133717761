SET LOCAL lock_timeout = '200ms';

-- CreateTable
CREATE TABLE "page_states" (
    "id_hash" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "session_hash" BYTEA,
    "sealed_value" TEXT NOT NULL,
    "stored_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "page_states_pkey" PRIMARY KEY ("id_hash")
);

-- CreateIndex
CREATE INDEX "page_states_person_id_stored_at_idx" ON "page_states"("person_id", "stored_at");

-- CreateIndex
CREATE INDEX "page_states_expires_at_idx" ON "page_states"("expires_at");

-- AddForeignKey
ALTER TABLE "page_states" ADD CONSTRAINT "page_states_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
