SET LOCAL lock_timeout = '200ms';
ALTER TABLE "token_families" ADD COLUMN "acr_level" SMALLINT, ADD COLUMN "amr" TEXT[];
