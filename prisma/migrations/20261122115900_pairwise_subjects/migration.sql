-- Pairwise subject identifiers: who gets them, and the salt they are made with, which is part of the snapshot.
-- AlterTable
ALTER TABLE "apis" ADD COLUMN     "pairwise_subjects" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "sector_identifier_uri" TEXT,
ADD COLUMN     "subject_type" TEXT NOT NULL DEFAULT 'public';

-- CreateTable
CREATE TABLE "subject_salt" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "sealed_salt" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subject_salt_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "subject_salt_one" CHECK ("id" = 1)
);

CREATE TRIGGER "directory_changed" AFTER INSERT ON "subject_salt" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE TRIGGER "directory_changed_by_update" AFTER UPDATE ON "subject_salt" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE TRIGGER "directory_changed_by_delete" AFTER DELETE ON "subject_salt" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "shared_changed"();
CREATE TRIGGER "directory_truncated" AFTER TRUNCATE ON "subject_salt"
  FOR EACH STATEMENT EXECUTE FUNCTION "registry_truncated"();
