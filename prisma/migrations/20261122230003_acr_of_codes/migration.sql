SET LOCAL lock_timeout = '200ms';
ALTER TABLE "codes" ADD COLUMN "acr_level" SMALLINT, ADD COLUMN "amr" TEXT[];
