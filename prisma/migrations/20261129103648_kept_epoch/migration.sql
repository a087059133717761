SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "subject_salt" ADD COLUMN     "kept_epoch" INTEGER NOT NULL DEFAULT 0;
