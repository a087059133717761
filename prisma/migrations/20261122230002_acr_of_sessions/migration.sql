-- Sessions from before are of a password, or of what a broker or verifier said.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "sessions" ADD COLUMN "acr_level" SMALLINT NOT NULL DEFAULT 1, ADD COLUMN "trusted_browser" UUID;
