-- The hosts of addresses, in small letters and without a port, for the index by which clients are found by a redirect
-- host. Immutable: an index holds what it says.
CREATE OR REPLACE FUNCTION "uri_hosts"("uris" TEXT[]) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT lower("host")), '{}')
  FROM unnest("uris") u, substring(u FROM '^[A-Za-z][A-Za-z0-9+.-]*://(\[[^]]*\]|[^/?#:@]+)') "host"
  WHERE "host" IS NOT NULL
$$;
