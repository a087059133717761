-- Whoever takes a logo away asks whether another client has the same one: without reading all of them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "clients_logo_idx" ON "clients"(("brand" ->> 'logo')) WHERE "brand" IS NOT NULL;
