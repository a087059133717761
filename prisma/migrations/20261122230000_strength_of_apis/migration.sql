-- How strong a sign-in has to be: of an API, and of single scopes. Null everywhere: as before.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "apis" ADD COLUMN "required_acr" TEXT, ADD COLUMN "second_factor" TEXT;
ALTER TABLE "api_scopes" ADD COLUMN "required_acr" TEXT;
