-- Rights of the service's own database role: it can read and write rows, but cannot change the schema. It can only read
-- the audit log and add events to it. The owner, who migrates, runs this file: `gatehouse migrate --service-role NAME`,
-- or in psql after SET gatehouse.service_role = 'NAME'. The file can be run again, and its rights also apply to later
-- tables.
DO $$
DECLARE
  service text := current_setting('gatehouse.service_role');
  home text := current_schema();
  leaf regclass;
BEGIN
  EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM PUBLIC, %I', current_database(), service);
  EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC, %I', home, service);
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), service);
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', home, service);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', home, service);
  EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO %I', home, service);
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I', home, service);
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT USAGE, SELECT ON SEQUENCES TO %I', home, service);
  EXECUTE format('REVOKE ALL ON audit_events, _prisma_migrations FROM %I', service);
  EXECUTE format('GRANT SELECT, INSERT ON audit_events TO %I', service);
  EXECUTE format('GRANT SELECT ON _prisma_migrations TO %I', service);
  -- partitions get no rights, because they are read and written only through their parents
  FOR leaf IN SELECT inhrelid::regclass FROM pg_inherits
    WHERE inhparent IN ('audit_events'::regclass, 'refused_requests'::regclass)
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %I', leaf, service);
  END LOOP;
  EXECUTE format('GRANT EXECUTE ON FUNCTION expire_audit_events(integer, integer), expire_refused_requests(integer),
    keep_partitions(integer) TO %I', service);
END $$;
