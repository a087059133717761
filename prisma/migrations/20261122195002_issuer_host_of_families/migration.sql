ALTER TABLE "token_families" ADD COLUMN     "issuer_host" TEXT;
