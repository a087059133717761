-- AlterTable
ALTER TABLE "apis" ADD COLUMN     "contact_uri" TEXT,
ADD COLUMN     "policy_uri" TEXT,
ADD COLUMN     "tos_uri" TEXT;
