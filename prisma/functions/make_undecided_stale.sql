-- Increments the version of an undecided subscription if its client changes, because the approver's page then shows an
-- outdated client. It is a trigger, because different operations change the client and the subscription.
CREATE OR REPLACE FUNCTION "make_undecided_stale"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "subscriptions" SET "version" = "version" + 1
    WHERE "client_id" = NEW."client_id" AND "state" IN ('pending', 'rejected', 'suspended');
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "undecided_go_stale" AFTER UPDATE OF "redirect_uris", "confidential", "application_type", "brand" ON "clients"
  FOR EACH ROW
  WHEN ((OLD."redirect_uris", OLD."confidential", OLD."application_type", OLD."brand")
    IS DISTINCT FROM (NEW."redirect_uris", NEW."confidential", NEW."application_type", NEW."brand"))
  EXECUTE FUNCTION "make_undecided_stale"();
