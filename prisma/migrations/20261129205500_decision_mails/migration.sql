SET LOCAL lock_timeout = '200ms';

-- CreateTable
CREATE TABLE "decision_mails" (
    "id" BIGSERIAL NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "decision" TEXT NOT NULL,
    "reason" TEXT,
    "next_at" TIMESTAMPTZ(6) NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "decision_mails_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "decision_mails_person_id_idx" ON "decision_mails"("person_id");

-- CreateIndex
CREATE INDEX "decision_mails_client_id_api_id_idx" ON "decision_mails"("client_id", "api_id");

-- CreateIndex
CREATE INDEX "decision_mails_next_at_idx" ON "decision_mails"("next_at");

-- AddForeignKey
ALTER TABLE "decision_mails" ADD CONSTRAINT "decision_mails_client_id_api_id_fkey" FOREIGN KEY ("client_id", "api_id") REFERENCES "subscriptions"("client_id", "api_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decision_mails" ADD CONSTRAINT "decision_mails_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
