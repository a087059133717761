-- Those that were signed out wait a day for clean-up, which found them by reading every session.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "sessions_ended_idx" ON "sessions"("ended_at") WHERE "ended_at" IS NOT NULL;
