SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "apis" ADD COLUMN     "former_issuers" JSONB;
