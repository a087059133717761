-- The audit log, in partitions of its time. What there is becomes the first one as it stands: its key, its indexes and what was
-- checked before spare reading it, so that writers wait for a moment only.
SET LOCAL lock_timeout = '200ms';
SET LOCAL timezone = 'UTC';
SET LOCAL datestyle = 'ISO';
LOCK TABLE "audit_events" IN ACCESS EXCLUSIVE MODE;
ALTER TABLE "audit_events" RENAME TO "audit_events_before";
ALTER INDEX "audit_events_at_idx" RENAME TO "audit_events_before_at_idx";
ALTER INDEX "audit_events_event_at_idx" RENAME TO "audit_events_before_event_at_idx";
ALTER INDEX "audit_events_client_id_at_idx" RENAME TO "audit_events_before_client_id_at_idx";
ALTER INDEX "audit_events_person_id_at_idx" RENAME TO "audit_events_before_person_id_at_idx";
ALTER INDEX "audit_events_actor_at_idx" RENAME TO "audit_events_before_actor_at_idx";
ALTER TABLE "audit_events_before" DROP CONSTRAINT "audit_events_pkey",
  ADD CONSTRAINT "audit_events_before_pkey" PRIMARY KEY USING INDEX "audit_events_before_pkey";
CREATE TABLE "audit_events" (
    "id" BIGINT NOT NULL DEFAULT nextval('audit_events_id_seq'),
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event" TEXT NOT NULL,
    "actor" TEXT,
    "person_id" UUID,
    "client_id" TEXT,
    "api_id" TEXT,
    "auth_method_id" TEXT,
    "request_id" TEXT,
    "ip" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id", "at")
) PARTITION BY RANGE ("at");
DO $$
BEGIN
  -- a superuser may migrate for the owner
  EXECUTE format('ALTER TABLE "audit_events" OWNER TO %I',
    (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'audit_events_before'::regclass));
END $$;
ALTER SEQUENCE "audit_events_id_seq" OWNED BY "audit_events"."id";
CREATE INDEX "audit_events_at_idx" ON "audit_events"("at");
CREATE INDEX "audit_events_event_at_idx" ON "audit_events"("event", "at");
CREATE INDEX "audit_events_client_id_at_idx" ON "audit_events"("client_id", "at");
CREATE INDEX "audit_events_person_id_at_idx" ON "audit_events"("person_id", "at");
CREATE INDEX "audit_events_actor_at_idx" ON "audit_events"("actor", "at");
CREATE TABLE "audit_events_default" PARTITION OF "audit_events" DEFAULT;
SELECT "take_over_rights"('audit_events', 'audit_events_before');
SELECT "close_table"('audit_events_default');
DO $$
DECLARE
  until timestamptz := (SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''')::timestamptz FROM pg_constraint
    WHERE conrelid = 'audit_events_before'::regclass AND conname = 'audit_events_before');
BEGIN
  IF EXISTS (SELECT FROM "audit_events_before") THEN
    EXECUTE format('ALTER TABLE "audit_events" ATTACH PARTITION "audit_events_before" FOR VALUES FROM (MINVALUE) TO (%L)', until);
    ALTER TABLE "audit_events_before" DROP CONSTRAINT "audit_events_before";
    PERFORM "close_table"('audit_events_before');
  ELSE
    DROP TABLE "audit_events_before";
  END IF;
END $$;
SELECT "extend_partitions"('audit_events', interval '1 month', now());
DROP FUNCTION "take_over_rights"(REGCLASS, REGCLASS);
