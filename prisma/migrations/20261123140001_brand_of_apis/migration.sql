SET LOCAL lock_timeout = '200ms';
ALTER TABLE "apis" ADD COLUMN "brand" JSONB;
