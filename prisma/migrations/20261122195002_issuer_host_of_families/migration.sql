SET LOCAL lock_timeout = '200ms';
ALTER TABLE "token_families" ADD COLUMN     "issuer_host" TEXT;
