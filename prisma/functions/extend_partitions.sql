-- Creates the missing partitions from "since" to eight weeks ahead. Rows without a partition are in the default
-- partition. A day that already has rows in the default partition stays in it. Attaching a partition blocks writers
-- while PostgreSQL reads the default partition. Therefore nothing is attached if that partition is large, which takes
-- two months without maintenance: its rows are then deleted one by one. Days are UTC days of the database's clock. It
-- is a function, because the service's role cannot create a table.
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
      -- created first and attached afterwards, because creating it as a partition would lock the parent
      EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL)', name, "parent");
      PERFORM "close_table"(name::regclass);
      EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', "parent", name, day, next);
      made := made + 1;
      -- each ATTACH reads the rows of the default partition and locks the parent until the transaction ends. If the
      -- default partition has rows, each run therefore adds one partition
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', rest) INTO crowded;
      IF crowded THEN RETURN made; END IF;
    EXCEPTION
      -- a long read, a recent row, or an existing table of that name: the next run tries again
      WHEN lock_not_available OR check_violation OR duplicate_table THEN RETURN made;
    END;
    day := next;
  END LOOP;
  RETURN made;
END $$;

REVOKE EXECUTE ON FUNCTION "extend_partitions"(REGCLASS, INTERVAL, TIMESTAMPTZ) FROM PUBLIC;
