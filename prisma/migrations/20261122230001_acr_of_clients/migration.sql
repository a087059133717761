SET LOCAL lock_timeout = '200ms';
ALTER TABLE "clients" ADD COLUMN "default_acr_values" TEXT[] DEFAULT ARRAY[]::TEXT[], ADD COLUMN "require_auth_time" BOOLEAN NOT NULL DEFAULT false;
