SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "private_use_schemes" BOOLEAN NOT NULL DEFAULT false;
