-- Refusals that anybody can cause are counted, one row for each kind, place and ten minutes. The first of a kind stands in
-- the audit log at once; the number of those after it follows when the ten minutes are over.
CREATE TABLE "refusals" (
    "window_start" TIMESTAMPTZ(6) NOT NULL,
    "key" BYTEA NOT NULL,
    "event" TEXT NOT NULL,
    "actor" TEXT,
    "client_id" TEXT,
    "api_id" TEXT,
    "auth_method_id" TEXT,
    "ip" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "count" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "refusals_pkey" PRIMARY KEY ("window_start", "key")
);

-- What a client was refused for is counted in the same way: the row shows the newest of its kind.
ALTER TABLE "refused_requests" ADD COLUMN "kind" BYTEA;
ALTER TABLE "refused_requests" ADD COLUMN "window_start" TIMESTAMPTZ(6);
ALTER TABLE "refused_requests" ADD COLUMN "count" INTEGER NOT NULL DEFAULT 1;
CREATE UNIQUE INDEX "refused_requests_client_id_window_start_kind_key" ON "refused_requests"("client_id", "window_start", "kind");
