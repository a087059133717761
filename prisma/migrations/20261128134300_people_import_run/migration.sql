-- the people that an import brought, to take it back
CREATE INDEX CONCURRENTLY IF NOT EXISTS "people_import_run_idx" ON "people"("import_run") WHERE "import_run" IS NOT NULL;
