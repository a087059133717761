-- The audit log as it is becomes the first partition, for everything up to a day that is five weeks ahead: until then the version
-- before may write to it whether or not the next steps have run. Said here, checked by the next step, believed by the last one.
SET LOCAL lock_timeout = '200ms';
SET LOCAL timezone = 'UTC';
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_before" CHECK ("at" < %L) NOT VALID',
    date_trunc('day', now()) + interval '35 days');
END $$;
