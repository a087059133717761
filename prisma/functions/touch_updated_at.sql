-- Sets the time of a row's last change if the version does not count that change (count_version.sql sets both). It is a
-- trigger, so that the database's clock sets the time.
CREATE OR REPLACE FUNCTION "touch_updated_at"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."updated_at" := now();
  RETURN NEW;
END $$;

-- only a change of state sets the time; a new message or a stale version does not
CREATE OR REPLACE TRIGGER "updated_at_touched" BEFORE UPDATE OF "state" ON "subscriptions" FOR EACH ROW
  EXECUTE FUNCTION "touch_updated_at"();
-- a new password sets the time without a new version, because forms show no password
CREATE OR REPLACE TRIGGER "updated_at_touched" BEFORE UPDATE OF "password_changed_at" ON "people" FOR EACH ROW
  EXECUTE FUNCTION "touch_updated_at"();
