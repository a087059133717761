SET LOCAL lock_timeout = '200ms';
ALTER TABLE "people" ADD COLUMN "picture" TEXT, ADD COLUMN "locale" TEXT, ADD COLUMN "zoneinfo" TEXT;
