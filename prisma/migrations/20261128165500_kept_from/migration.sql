SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "client_secrets" ADD COLUMN     "kept_from" BYTEA;
