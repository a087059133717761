-- The hosts of addresses, in lower case and without a port, for the index that finds clients by a redirect host. It is
-- immutable, because an index stores its results.
CREATE OR REPLACE FUNCTION "uri_hosts"("uris" TEXT[]) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT lower("host")), '{}')
  FROM unnest("uris") u, substring(u FROM '^[A-Za-z][A-Za-z0-9+.-]*://(\[[^]]*\]|[^/?#:@]+)') "host"
  WHERE "host" IS NOT NULL
$$;
