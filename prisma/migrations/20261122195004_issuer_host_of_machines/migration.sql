SET LOCAL lock_timeout = '200ms';
ALTER TABLE "machine_tokens" ADD COLUMN     "issuer_host" TEXT;
