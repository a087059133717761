-- Each step of a subscription keeps the brand that the client had then, so that whoever decides sees what has changed.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "subscription_events" ADD COLUMN "client_brand" JSONB;
CREATE OR REPLACE FUNCTION "note_redirect_uris"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  SELECT "redirect_uris", CASE WHEN "confidential" THEN 'confidential' WHEN "application_type" = 'native' THEN 'native' ELSE 'browser' END, "brand"
    INTO NEW."redirect_uris", NEW."client_kind", NEW."client_brand" FROM "clients" WHERE "client_id" = NEW."client_id";
  RETURN NEW;
END $$;
