-- CreateTable
CREATE UNLOGGED TABLE "used_proofs" (
    "id_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "used_proofs_pkey" PRIMARY KEY ("id_hash")
);

-- CreateIndex
CREATE INDEX "used_proofs_expires_at_idx" ON "used_proofs"("expires_at");
