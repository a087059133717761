-- How many of a window's attempts have failed by now, and how many windows in a row were used up.
ALTER TABLE "attempts" ADD COLUMN "failed" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "attempts" ADD COLUMN "strikes" INTEGER NOT NULL DEFAULT 0;
