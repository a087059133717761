SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "refresh_token_rotation" TEXT NOT NULL DEFAULT 'always';
