-- Access tokens of clients in their own name (RFC 6749 §4.4). A table of its own: nothing of people's families looks here.
CREATE TABLE "machine_tokens" (
    "token_hash" BYTEA NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "scopes" TEXT[],
    "epoch" BIGINT NOT NULL,
    "issued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "machine_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE INDEX "machine_tokens_client_id_expires_at_idx" ON "machine_tokens"("client_id", "expires_at");

-- CreateIndex
CREATE INDEX "machine_tokens_expires_at_idx" ON "machine_tokens"("expires_at");
