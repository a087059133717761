-- Which rules of the protocol an API keeps beyond those of OAuth 2.0: null or oauth-2.1.
-- AlterTable
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "apis" ADD COLUMN     "profile" TEXT;
