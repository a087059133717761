-- The authorization servers that a client may get an ID-JAG for.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "clients" ADD COLUMN     "id_jag_audiences" TEXT[] DEFAULT ARRAY[]::TEXT[];
