-- Makes what is missing from "since" to eight weeks ahead; rows without a partition are in the default one. A day that
-- has rows there already stays there. Attaching locks writers out while it reads the default partition, so a large one
-- is not attached, which takes two months without maintenance: rows then leave it one by one. Days are those of the
-- database's clock, in UTC. A function, because the service's role may not make a table.
CREATE OR REPLACE FUNCTION "extend_partitions"("parent" REGCLASS, "step" INTERVAL, "since" TIMESTAMPTZ) RETURNS INTEGER
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
      -- made first and attached then: creating it as a partition would lock the parent
      EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL)', name, "parent");
      PERFORM "close_table"(name::regclass);
      EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', "parent", name, day, next);
      made := made + 1;
      -- each attaching reads what is in the default partition, with the parent locked to the end of all this: one at a
      -- time then
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', rest) INTO crowded;
      IF crowded THEN RETURN made; END IF;
    EXCEPTION
      -- a long read, a row of just now, or a table of that name: the next turn tries again
      WHEN lock_not_available OR check_violation OR duplicate_table THEN RETURN made;
    END;
    day := next;
  END LOOP;
  RETURN made;
END $$;

REVOKE EXECUTE ON FUNCTION "extend_partitions"(REGCLASS, INTERVAL, TIMESTAMPTZ) FROM PUBLIC;
