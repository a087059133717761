-- Refused requests, in partitions of a week. Their window is what they are partitioned by: it never changes, and the version before
-- names it where a kind comes again. Only what is shown is copied, the newest 200 of each client, while whoever notes one waits;
-- that happens after the answer. The old table goes last: its foreign key locks "clients", which every request reads, until the end.
SET LOCAL lock_timeout = '200ms';
LOCK TABLE "refused_requests" IN ACCESS EXCLUSIVE MODE;
ALTER SEQUENCE "refused_requests_id_seq" OWNED BY NONE;
ALTER TABLE "refused_requests" RENAME TO "refused_requests_before";
ALTER INDEX "refused_requests_pkey" RENAME TO "refused_requests_before_pkey";
ALTER INDEX "refused_requests_client_id_at_id_idx" RENAME TO "refused_requests_before_client_id_at_id_idx";
ALTER INDEX "refused_requests_at_idx" RENAME TO "refused_requests_before_at_idx";
ALTER INDEX "refused_requests_client_id_window_start_kind_key" RENAME TO "refused_requests_before_client_id_window_start_kind_key";
CREATE TABLE "refused_requests" (
    "id" BIGINT NOT NULL DEFAULT nextval('refused_requests_id_seq'),
    "client_id" TEXT NOT NULL,
    "api_id" TEXT,
    "auth_method_id" TEXT,
    "endpoint" TEXT NOT NULL,
    "error" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "details" JSONB NOT NULL DEFAULT '{}',
    "request_id" TEXT,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kind" BYTEA,
    "window_start" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "count" INTEGER NOT NULL DEFAULT 1
) PARTITION BY RANGE ("window_start");
DO $$
BEGIN
  -- a superuser may migrate for the owner
  EXECUTE format('ALTER TABLE "refused_requests" OWNER TO %I',
    (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'refused_requests_before'::regclass));
END $$;
ALTER SEQUENCE "refused_requests_id_seq" OWNED BY "refused_requests"."id";
CREATE TABLE "refused_requests_default" PARTITION OF "refused_requests" DEFAULT;
SELECT "take_over_rights"('refused_requests', 'refused_requests_before');
SELECT "close_table"('refused_requests_default');
SELECT "extend_partitions"('refused_requests', interval '1 week', now() - interval '15 days');
INSERT INTO "refused_requests" ("id", "client_id", "api_id", "auth_method_id", "endpoint", "error", "description", "details",
    "request_id", "at", "kind", "window_start", "count")
  SELECT "id", "client_id", "api_id", "auth_method_id", "endpoint", "error", "description", "details",
    "request_id", "at", "kind", coalesce("window_start", "at"), "count"
  FROM "refused_requests_before" WHERE "at" >= now() - interval '14 days';
ALTER TABLE "refused_requests" ADD CONSTRAINT "refused_requests_pkey" PRIMARY KEY ("id", "window_start");
CREATE INDEX "refused_requests_client_id_at_id_idx" ON "refused_requests"("client_id", "at", "id");
CREATE INDEX "refused_requests_at_idx" ON "refused_requests"("at");
CREATE UNIQUE INDEX "refused_requests_client_id_window_start_kind_key" ON "refused_requests"("client_id", "window_start", "kind");
ALTER TABLE "refused_requests" ADD CONSTRAINT "refused_requests_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
DROP TABLE "refused_requests_before";
