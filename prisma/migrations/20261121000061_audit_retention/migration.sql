-- The service may add to the audit log and read it (prisma/roles.sql). What is older than the retention leaves through this
-- function alone, which runs as the owner and keeps the last seven days whatever it is asked for.
CREATE FUNCTION "expire_audit_events"("days" INTEGER, "batch" INTEGER) RETURNS INTEGER
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH "gone" AS (
    DELETE FROM "audit_events" WHERE "id" IN (
      SELECT "id" FROM "audit_events" WHERE "at" < now() - make_interval(days => greatest("days", 7))
      ORDER BY "id" LIMIT "batch" FOR UPDATE SKIP LOCKED)
    RETURNING 1)
  SELECT count(*)::integer FROM "gone"
$$;
REVOKE EXECUTE ON FUNCTION "expire_audit_events"(INTEGER, INTEGER) FROM PUBLIC;
