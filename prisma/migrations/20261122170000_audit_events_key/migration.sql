-- The key of a partitioned table holds the time that it is partitioned by. Built beside whoever writes, so outside of a transaction.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "audit_events_before_pkey" ON "audit_events"("id", "at");
