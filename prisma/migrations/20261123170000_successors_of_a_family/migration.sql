-- A token has at most one successor, which is of its family: one index for that and for a family's tokens, instead of two.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "refresh_tokens_family_id_parent_hash_key" ON "refresh_tokens"("family_id", "parent_hash");
