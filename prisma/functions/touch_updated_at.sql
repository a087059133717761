-- When a row was last changed, where that is not each change of it (count_version.sql). A trigger, so that no client's
-- clock sets it.
CREATE OR REPLACE FUNCTION "touch_updated_at"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."updated_at" := now();
  RETURN NEW;
END $$;

-- a step: a message or what makes it stale is none
CREATE OR REPLACE TRIGGER "updated_at_touched" BEFORE UPDATE OF "state" ON "subscriptions" FOR EACH ROW
  EXECUTE FUNCTION "touch_updated_at"();
-- a new password is no edit that a form could miss
CREATE OR REPLACE TRIGGER "updated_at_touched" BEFORE UPDATE OF "password_changed_at" ON "people" FOR EACH ROW
  EXECUTE FUNCTION "touch_updated_at"();
