-- An origin of its own for an issuer, by method (docs/decisions/0049).
ALTER TABLE "apis" ADD COLUMN     "issuer_hosts" JSONB;
