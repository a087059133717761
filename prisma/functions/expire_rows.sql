-- Deletes old rows of the default partition, in batches. It is a function, because the service's role cannot delete
-- events.
CREATE OR REPLACE FUNCTION "expire_rows"("parent" REGCLASS, "age" INTERVAL, "batch" INTEGER) RETURNS INTEGER
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

REVOKE EXECUTE ON FUNCTION "expire_rows"(REGCLASS, INTERVAL, INTEGER) FROM PUBLIC;
