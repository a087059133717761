-- Partitions by time: made ahead, dropped when all of one is too old. The service's role may neither make nor drop a table, so it
-- calls these functions, which run as the owner. Days are those of the database's clock, in UTC.

-- "since" is null for what has no beginning, both for the default partition.
CREATE FUNCTION "partitions_of"("parent" REGCLASS) RETURNS TABLE ("leaf" REGCLASS, "since" TIMESTAMPTZ, "until" TIMESTAMPTZ)
LANGUAGE sql STABLE SET search_path FROM CURRENT SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
  SELECT c.oid::regclass, substring(b.range FROM 'FROM \(''([^'']+)''\)')::timestamptz,
    substring(b.range FROM 'TO \(''([^'']+)''\)')::timestamptz
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS range) b
  WHERE i.inhparent = "parent"
$$;

-- A new table has the default privileges of its owner; a partition is read and written through its parent alone.
CREATE FUNCTION "close_table"("closed" REGCLASS) RETURNS VOID
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  one record;
BEGIN
  FOR one IN SELECT DISTINCT a.grantee FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
    WHERE c.oid = "closed" AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %s', "closed",
      CASE one.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(one.grantee)) END);
  END LOOP;
END $$;

-- A table that takes another one's name takes over what others may do with it.
CREATE FUNCTION "take_over_rights"("heir" REGCLASS, "former" REGCLASS) RETURNS VOID
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  one record;
BEGIN
  PERFORM "close_table"("heir");
  FOR one IN SELECT a.grantee, a.privilege_type FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
    WHERE c.oid = "former" AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON %s TO %s', one.privilege_type, "heir",
      CASE one.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(one.grantee)) END);
  END LOOP;
END $$;

-- Makes what is missing from "since" to eight weeks ahead; what no partition is for goes into the default one. A day that has rows
-- there already stays there. Attaching reads the default partition while nobody may write to it, so it is left alone when it has
-- grown large, which takes two months without a turn of maintenance: it is then what the table was before, and rows leave it one by one.
CREATE FUNCTION "extend_partitions"("parent" REGCLASS, "step" INTERVAL, "since" TIMESTAMPTZ) RETURNS INTEGER
LANGUAGE plpgsql SET search_path FROM CURRENT SET timezone = 'UTC' SET datestyle = 'ISO' SET lock_timeout = '100ms' AS $$
DECLARE
  most_bytes CONSTANT bigint := 256 * 1024 * 1024;
  key text := (SELECT quote_ident(a.attname) FROM pg_partitioned_table p JOIN pg_attribute a
    ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0] WHERE p.partrelid = "parent");
  rest regclass := (SELECT p.leaf FROM "partitions_of"("parent") p WHERE p.until IS NULL);
  day timestamptz := date_trunc('day', "since");
  next timestamptz;
  name text;
  taken timestamptz;
  crowded boolean;
  made integer := 0;
BEGIN
  IF pg_relation_size(rest) > most_bytes THEN RETURN 0; END IF;
  WHILE day < now() + interval '8 weeks' LOOP
    next := (SELECT p.until FROM "partitions_of"("parent") p WHERE p.until > day AND (p.since IS NULL OR p.since <= day));
    IF next IS NOT NULL THEN
      day := next;
      CONTINUE;
    END IF;
    next := least(day + "step", (SELECT min(p.since) FROM "partitions_of"("parent") p WHERE p.since > day));
    IF rest IS NOT NULL THEN
      EXECUTE format('SELECT date_trunc(''day'', min(%1$s)) FROM %2$s WHERE %1$s >= $1 AND %1$s < $2', key, rest)
        INTO taken USING day, next;
      IF taken = day THEN
        day := day + interval '1 day';
        CONTINUE;
      END IF;
      next := coalesce(taken, next);
    END IF;
    name := format('%I', (SELECT relname FROM pg_class WHERE oid = "parent") || to_char(day, '"_"YYYYMMDD'));
    BEGIN
      -- made first and attached then: to be made as a partition would lock everybody out of the parent
      EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL)', name, "parent");
      PERFORM "close_table"(name::regclass);
      EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', "parent", name, day, next);
      made := made + 1;
      -- each attaching reads what is in the default partition, with the parent locked to the end of all this: one at a time then
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', rest) INTO crowded;
      IF crowded THEN RETURN made; END IF;
    EXCEPTION
      -- somebody reads for long, or wrote a row just now, or keeps a table of that name: the next turn tries again
      WHEN lock_not_available OR check_violation OR duplicate_table THEN RETURN made;
    END;
    day := next;
  END LOOP;
  RETURN made;
END $$;

-- The oldest partition, if all of it is older than "age". Waits a moment only: whoever writes waits behind it.
CREATE FUNCTION "drop_ended_partition"("parent" REGCLASS, "age" INTERVAL) RETURNS BOOLEAN
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

-- Rows without a partition of their time: those from before there were partitions, and those in the default one.
CREATE FUNCTION "expire_rows"("parent" REGCLASS, "age" INTERVAL, "batch" INTEGER) RETURNS INTEGER
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  one record;
  went integer;
  gone integer := 0;
BEGIN
  FOR one IN SELECT p.leaf FROM "partitions_of"("parent") p WHERE p.since IS NULL LOOP
    EXECUTE format('DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE "at" < now() - $1
      ORDER BY "at" LIMIT $2 FOR UPDATE SKIP LOCKED))', one.leaf) USING "age", "batch" - gone;
    GET DIAGNOSTICS went = ROW_COUNT;
    gone := gone + went;
  END LOOP;
  RETURN gone;
END $$;

-- What maintenance calls at each turn, of both tables. False: a table has no partition for a day of the next week.
CREATE FUNCTION "keep_partitions"("days" INTEGER) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  -- another instance does it
  IF NOT pg_try_advisory_xact_lock(hashtext('gatehouse.partitions')) THEN RETURN true; END IF;
  PERFORM "extend_partitions"('audit_events'::regclass, CASE WHEN "days" < 100 THEN interval '1 week' ELSE interval '1 month' END, now());
  PERFORM "extend_partitions"('refused_requests'::regclass, interval '1 week', now());
  PERFORM "drop_ended_partition"('refused_requests'::regclass, interval '14 days');
  -- last, since everybody writes to the log: what is locked here is locked until the end
  PERFORM "drop_ended_partition"('audit_events'::regclass, make_interval(days => greatest("days", 7)));
  RETURN NOT EXISTS (
    SELECT FROM unnest('{audit_events,refused_requests}'::regclass[]) parent
      CROSS JOIN generate_series(now() + interval '1 day', now() + interval '7 days', interval '1 day') moment
    WHERE NOT EXISTS (SELECT FROM "partitions_of"(parent) p
      WHERE p.until > moment AND (p.since IS NULL OR p.since <= moment)));
END $$;

-- Called by the version before, too.
CREATE OR REPLACE FUNCTION "expire_audit_events"("days" INTEGER, "batch" INTEGER) RETURNS INTEGER
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT "expire_rows"('audit_events'::regclass, make_interval(days => greatest("days", 7)), "batch")
$$;

CREATE FUNCTION "expire_refused_requests"("batch" INTEGER) RETURNS INTEGER
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT "expire_rows"('refused_requests'::regclass, interval '14 days', "batch")
$$;

-- A temporary table of the caller's must not stand for one of ours.
DO $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['keep_partitions(integer)', 'expire_audit_events(integer, integer)', 'expire_refused_requests(integer)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END $$;

REVOKE EXECUTE ON FUNCTION "partitions_of"(REGCLASS), "close_table"(REGCLASS), "take_over_rights"(REGCLASS, REGCLASS),
  "extend_partitions"(REGCLASS, INTERVAL, TIMESTAMPTZ), "drop_ended_partition"(REGCLASS, INTERVAL),
  "expire_rows"(REGCLASS, INTERVAL, INTEGER), "keep_partitions"(INTEGER), "expire_refused_requests"(INTEGER) FROM PUBLIC;
-- whoever lets old events go today keeps the partitions from now on
DO $$
DECLARE
  one record;
BEGIN
  FOR one IN SELECT DISTINCT a.grantee FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a
    WHERE p.oid = 'expire_audit_events(integer, integer)'::regprocedure AND a.grantee NOT IN (0, p.proowner)
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION keep_partitions(integer), expire_refused_requests(integer) TO %I',
      pg_get_userbyid(one.grantee));
  END LOOP;
END $$;
