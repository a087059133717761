-- Reads the whole table, and keeps nobody from writing to it.
ALTER TABLE "audit_events" VALIDATE CONSTRAINT "audit_events_before";
