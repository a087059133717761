-- The authorization servers that a client may get an ID-JAG for.
ALTER TABLE "clients" ADD COLUMN     "id_jag_audiences" TEXT[] DEFAULT ARRAY[]::TEXT[];
