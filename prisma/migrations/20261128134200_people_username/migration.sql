-- of a column that no version before writes
-- Contracts: 0.2
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "people_username_key" ON "people"("username");
