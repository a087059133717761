-- A code stays until its family ends: clean-up looks for those that never had one, and must not walk past millions that do.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "codes_unredeemed_idx" ON "codes"("expires_at") WHERE "family_id" IS NULL;
