-- The index of all codes by their expiry had no other use.
SET LOCAL lock_timeout = '200ms';
DROP INDEX "codes_expires_at_idx";
