SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "id_token_claims" BOOLEAN NOT NULL DEFAULT false;
