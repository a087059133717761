-- Clean-up looks for registered clients that nobody approved: few of many.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "clients_registered_idx" ON "clients"("created_at") WHERE "origin" = 'registration';
