ALTER TABLE "machine_tokens" ADD COLUMN     "issuer_host" TEXT;
