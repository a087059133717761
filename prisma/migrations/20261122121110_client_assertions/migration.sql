-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "jwks" JSONB,
ADD COLUMN     "jwks_uri" TEXT,
ADD COLUMN     "token_endpoint_as_audience" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "token_endpoint_auth_method" TEXT;

-- CreateTable
CREATE TABLE "used_assertions" (
    "id_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "used_assertions_pkey" PRIMARY KEY ("id_hash")
);

-- CreateIndex
CREATE INDEX "used_assertions_expires_at_idx" ON "used_assertions"("expires_at");
