SET LOCAL lock_timeout = '200ms';
ALTER TABLE "people" ADD COLUMN "factor_level" SMALLINT NOT NULL DEFAULT 0, ADD COLUMN "factor_grace_from" TIMESTAMPTZ(6), ADD COLUMN "factor_offered_at" TIMESTAMPTZ(6);
