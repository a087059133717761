SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "apis" ADD COLUMN     "dpop" TEXT NOT NULL DEFAULT 'optional',
ADD COLUMN     "dpop_nonce" TEXT NOT NULL DEFAULT 'off';

-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "dpop_bound_access_tokens" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "codes" ADD COLUMN     "dpop_jkt" BYTEA;

-- AlterTable
ALTER TABLE "machine_tokens" ADD COLUMN     "jkt" BYTEA;

-- AlterTable
ALTER TABLE "opaque_tokens" ADD COLUMN     "jkt" BYTEA;

-- AlterTable
ALTER TABLE "token_families" ADD COLUMN     "dpop_jkt" BYTEA;

-- of sign-ins that end with their session
CREATE INDEX "token_families_bound_sid_idx" ON "token_families"("sid") WHERE "dpop_jkt" IS NOT NULL;
