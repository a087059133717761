-- Stores the client's current values with each step of its subscription. An approver sees later changes, and resuming a
-- subscription restores the approved values. A trigger calls it, so that no writer can forget it, and the same
-- statement reads the row.
CREATE OR REPLACE FUNCTION "note_client"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  SELECT "redirect_uris", {{client kind}}, "brand"
    INTO NEW."redirect_uris", NEW."client_kind", NEW."client_brand" FROM "clients" c WHERE "client_id" = NEW."client_id";
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "client_noted" BEFORE INSERT ON "subscription_events" FOR EACH ROW EXECUTE FUNCTION "note_client"();
