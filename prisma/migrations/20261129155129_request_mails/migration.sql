SET LOCAL lock_timeout = '200ms';

-- CreateTable
CREATE TABLE "request_mails" (
    "id" BIGSERIAL NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "mailed_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "request_mails_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "request_mail_turns" (
    "person_id" UUID NOT NULL,
    "next_at" TIMESTAMPTZ(6) NOT NULL,
    "lease" UUID NOT NULL DEFAULT gen_random_uuid(),
    "failures" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "request_mail_turns_pkey" PRIMARY KEY ("person_id")
);

-- CreateIndex
CREATE INDEX "request_mails_person_id_idx" ON "request_mails"("person_id");

-- CreateIndex
CREATE INDEX "request_mails_mailed_at_person_id_idx" ON "request_mails"("mailed_at", "person_id");

-- CreateIndex
CREATE UNIQUE INDEX "request_mails_client_id_api_id_person_id_key" ON "request_mails"("client_id", "api_id", "person_id");

-- AddForeignKey
ALTER TABLE "request_mails" ADD CONSTRAINT "request_mails_client_id_api_id_fkey" FOREIGN KEY ("client_id", "api_id") REFERENCES "subscriptions"("client_id", "api_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "request_mails" ADD CONSTRAINT "request_mails_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "request_mail_turns" ADD CONSTRAINT "request_mail_turns_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
