-- Drops the oldest partition if each row in it is older than "age". It waits only briefly for its lock, because writers
-- queue behind it. It is a function, because the service's role cannot drop a table.
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
