-- Deletes old refused requests from the default partition, which the service's role cannot access directly.
CREATE OR REPLACE FUNCTION "expire_refused_requests"("batch" INTEGER) RETURNS INTEGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  RETURN "expire_rows"('refused_requests'::regclass, interval '14 days', "batch");
END $$;

REVOKE EXECUTE ON FUNCTION "expire_refused_requests"(INTEGER) FROM PUBLIC;
