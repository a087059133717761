SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "apis" ADD COLUMN     "verify_cache" INTEGER NOT NULL DEFAULT 0;
