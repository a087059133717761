-- Deletes old events. The service may read the audit log and add to it (prisma/roles.sql), and delete only by this
-- function. It runs as the owner, and always keeps the last seven days.
CREATE OR REPLACE FUNCTION "expire_audit_events"("days" INTEGER, "batch" INTEGER) RETURNS INTEGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  RETURN "expire_rows"('audit_events'::regclass, make_interval(days => greatest("days", 7)), "batch");
END $$;

REVOKE EXECUTE ON FUNCTION "expire_audit_events"(INTEGER, INTEGER) FROM PUBLIC;
