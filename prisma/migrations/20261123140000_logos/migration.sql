-- Pictures of APIs and clients, each once, by the SHA-256 of its bytes. `used_at` is written by whoever refers to one again, so that
-- clean-up takes none that is about to be used.
CREATE TABLE "logos" (
    "hash" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "bytes" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "logos_pkey" PRIMARY KEY ("hash")
);
