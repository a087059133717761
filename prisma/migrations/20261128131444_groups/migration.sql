SET LOCAL lock_timeout = '200ms';

-- AlterTable
ALTER TABLE "api_scopes" ADD COLUMN     "groups" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "apis" ADD COLUMN     "groups" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "groups_claim" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "roles" JSONB;

-- AlterTable
ALTER TABLE "combinations" ADD COLUMN     "asked_groups" JSONB;

-- AlterTable
ALTER TABLE "external_identities" ADD COLUMN     "groups_at" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "groups" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_texts" TEXT,
    "rules" JSONB NOT NULL DEFAULT '[]',
    "position" INTEGER NOT NULL DEFAULT 0,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "group_members" (
    "person_id" UUID NOT NULL,
    "group_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "group_members_pkey" PRIMARY KEY ("person_id","group_id","origin")
);

-- CreateIndex
CREATE INDEX "groups_name_idx" ON "groups"("name" COLLATE "by_name", "id");

-- CreateIndex
CREATE INDEX "group_members_group_id_person_id_idx" ON "group_members"("group_id", "person_id");

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;
