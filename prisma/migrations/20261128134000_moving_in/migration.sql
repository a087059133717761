SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "client_secrets" ADD COLUMN     "kept_hash" TEXT;

-- AlterTable
ALTER TABLE "people" ADD COLUMN     "import_digest" BYTEA,
ADD COLUMN     "import_run" TEXT,
ADD COLUMN     "must_change_password" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "subject" TEXT,
ADD COLUMN     "username" TEXT;

-- AlterTable
ALTER TABLE "subject_salt" ADD COLUMN     "kept_subjects" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "usernames" BOOLEAN NOT NULL DEFAULT false;
