-- The partitions of a table with their bounds. A partition without a lower bound has a null "since". The default
-- partition has neither bound. The function keep_partitions, and functions that it calls, use this one.
CREATE OR REPLACE FUNCTION "partitions_of"("parent" REGCLASS) RETURNS TABLE ("leaf" REGCLASS, "since" TIMESTAMPTZ, "until" TIMESTAMPTZ)
LANGUAGE sql STABLE SET search_path FROM CURRENT SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
  SELECT c.oid::regclass, substring(b.range FROM 'FROM \(''([^'']+)''\)')::timestamptz,
    substring(b.range FROM 'TO \(''([^'']+)''\)')::timestamptz
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS range) b
  WHERE i.inhparent = "parent"
$$;

REVOKE EXECUTE ON FUNCTION "partitions_of"(REGCLASS) FROM PUBLIC;
