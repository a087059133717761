-- Removes rights from a new table, which has the default privileges of its owner: a partition is read and written only
-- through its parent.
CREATE OR REPLACE FUNCTION "close_table"("closed" REGCLASS) RETURNS VOID
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

REVOKE EXECUTE ON FUNCTION "close_table"(REGCLASS) FROM PUBLIC;
