-- Creates and drops partitions in each maintenance run (docs/project/decisions/0008). False: a table has no partition
-- for a day of the next week. It is a function of the owner, because the service's role can neither create nor drop
-- tables.
CREATE OR REPLACE FUNCTION "keep_partitions"("days" INTEGER) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  -- another instance runs the same maintenance
  IF NOT pg_try_advisory_xact_lock(hashtext('gatehouse.partitions')) THEN RETURN true; END IF;
  PERFORM "extend_partitions"('audit_events'::regclass, CASE WHEN "days" < 100 THEN interval '1 week' ELSE interval '1 month' END, now());
  PERFORM "extend_partitions"('refused_requests'::regclass, interval '1 week', now());
  PERFORM "drop_ended_partition"('refused_requests'::regclass, interval '14 days');
  -- last, because each request may write to the log, and the locks of these statements last until the transaction ends
  PERFORM "drop_ended_partition"('audit_events'::regclass, make_interval(days => greatest("days", 7)));
  RETURN NOT EXISTS (
    SELECT FROM unnest('{audit_events,refused_requests}'::regclass[]) parent
      CROSS JOIN generate_series(now() + interval '1 day', now() + interval '7 days', interval '1 day') moment
    WHERE NOT EXISTS (SELECT FROM "partitions_of"(parent) p
      WHERE p.until > moment AND (p.since IS NULL OR p.since <= moment)));
END $$;

REVOKE EXECUTE ON FUNCTION "keep_partitions"(INTEGER) FROM PUBLIC;
