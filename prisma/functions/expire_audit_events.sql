-- Deletes old events. The service can read the audit log and add to it (prisma/roles.sql), and can delete events only
-- by this function. The function runs as the owner, and always keeps the last seven days.
CREATE OR REPLACE FUNCTION "expire_audit_events"("days" INTEGER, "batch" INTEGER) RETURNS INTEGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  RETURN "expire_rows"('audit_events'::regclass, make_interval(days => greatest("days", 7)), "batch");
END $$;

REVOKE EXECUTE ON FUNCTION "expire_audit_events"(INTEGER, INTEGER) FROM PUBLIC;
