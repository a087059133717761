-- CreateTable
CREATE TABLE "used_requests" (
    "id_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "used_requests_pkey" PRIMARY KEY ("id_hash")
);

-- CreateIndex
CREATE INDEX "used_requests_expires_at_idx" ON "used_requests"("expires_at");
