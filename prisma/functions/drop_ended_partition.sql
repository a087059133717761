-- Drops the oldest partition if all of it is older than "age". It waits for a moment only, because writers wait behind
-- it. A function, because the service's role may not drop a table.
CREATE OR REPLACE FUNCTION "drop_ended_partition"("parent" REGCLASS, "age" INTERVAL) RETURNS BOOLEAN
LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '100ms' AS $$
DECLARE
  ended regclass := (SELECT p.leaf FROM "partitions_of"("parent") p WHERE p.until <= now() - "age" ORDER BY p.until LIMIT 1);
BEGIN
  IF ended IS NULL THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE %s', ended);
  RETURN true;
EXCEPTION
  WHEN lock_not_available THEN RETURN false;
END $$;

REVOKE EXECUTE ON FUNCTION "drop_ended_partition"(REGCLASS, INTERVAL) FROM PUBLIC;
