SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "require_pushed_authorization_requests" BOOLEAN NOT NULL DEFAULT false;
