SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "external_identities" ADD COLUMN     "missing_since" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "rechecks" (
    "auth_method_id" TEXT NOT NULL,
    "after" TEXT,
    "began_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "locked_until" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "lease" UUID NOT NULL DEFAULT gen_random_uuid(),

    CONSTRAINT "rechecks_pkey" PRIMARY KEY ("auth_method_id")
);
