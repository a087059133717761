-- What the index of 20261123170000 and the trigger of 20261123170001 took the place of.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "refresh_tokens" DROP CONSTRAINT "refresh_tokens_family_id_fkey";
DROP INDEX "refresh_tokens_parent_hash_key";
DROP INDEX "refresh_tokens_family_id_idx";
