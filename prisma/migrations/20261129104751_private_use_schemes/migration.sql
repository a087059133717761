-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "private_use_schemes" BOOLEAN NOT NULL DEFAULT false;
