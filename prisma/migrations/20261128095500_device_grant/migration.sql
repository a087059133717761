SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "apis" ADD COLUMN     "device_grant" TEXT NOT NULL DEFAULT 'off';

-- AlterTable
ALTER TABLE "subscription_events" ADD COLUMN     "device" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN     "device" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "device_epoch" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "device_requests" (
    "device_code_hash" BYTEA NOT NULL,
    "user_code_hmac" BYTEA NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "issuer_host" TEXT,
    "query" TEXT NOT NULL,
    "asked_from" TEXT,
    "attempts" TEXT[],
    "interval_seconds" INTEGER NOT NULL,
    "polled_at" TIMESTAMPTZ(6),
    "browser_hash" BYTEA,
    "decision" TEXT,
    "given_code_hash" BYTEA,
    "asked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "device_requests_pkey" PRIMARY KEY ("device_code_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "device_requests_user_code_hmac_key" ON "device_requests"("user_code_hmac");

-- CreateIndex
CREATE UNIQUE INDEX "device_requests_given_code_hash_key" ON "device_requests"("given_code_hash");

-- CreateIndex
CREATE INDEX "device_requests_expires_at_idx" ON "device_requests"("expires_at");
