-- Each step of a subscription keeps the client as it was then: an approver sees what has changed since, and a
-- resumption brings back what was approved. A trigger, so that no writer can forget it, and the row is read in the same
-- statement.
CREATE OR REPLACE FUNCTION "note_client"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  SELECT "redirect_uris", CASE WHEN "confidential" THEN 'confidential' WHEN "application_type" = 'native' THEN 'native' ELSE 'browser' END, "brand"
    INTO NEW."redirect_uris", NEW."client_kind", NEW."client_brand" FROM "clients" WHERE "client_id" = NEW."client_id";
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "client_noted" BEFORE INSERT ON "subscription_events" FOR EACH ROW EXECUTE FUNCTION "note_client"();
