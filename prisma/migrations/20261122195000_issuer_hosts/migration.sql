-- An origin of its own for an issuer, by method (docs/decisions/0049).
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "apis" ADD COLUMN     "issuer_hosts" JSONB;
