-- CreateTable
CREATE TABLE "former_tokens" (
    "token_hash" BYTEA NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "person_id" UUID,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "auth_time" TIMESTAMPTZ(6),
    "person_epoch" BIGINT NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),

    CONSTRAINT "former_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE INDEX "former_tokens_expires_at_idx" ON "former_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "former_tokens_person_id_idx" ON "former_tokens"("person_id");
