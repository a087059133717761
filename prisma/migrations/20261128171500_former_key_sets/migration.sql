SET LOCAL lock_timeout = '200ms';

-- CreateTable
CREATE TABLE "former_key_sets" (
    "address" TEXT NOT NULL,
    "keys" JSONB NOT NULL,
    "read_at" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "former_key_sets_pkey" PRIMARY KEY ("address")
);
