-- Clean-up looks for agents that nobody approved: few of many clients.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "clients_agents_idx" ON "clients"("created_at") WHERE "origin" IS NOT NULL;
