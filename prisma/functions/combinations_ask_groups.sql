-- Stores the groups that an API requires in each of its combinations. Every statement that issues a token reads the
-- combination anyway, and compares one null if the API names no group. Triggers call it, so that no writer of the
-- registry can forget it, including the previous version of Gatehouse.
CREATE OR REPLACE FUNCTION "combinations_ask_groups"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  of_api TEXT;
BEGIN
  IF TG_TABLE_NAME = 'combinations' THEN
    NEW."asked_groups" := "groups_asked"(NEW."api_id");
    RETURN NEW;
  END IF;
  of_api := CASE WHEN TG_TABLE_NAME = 'apis' THEN to_jsonb(NEW) ->> 'id'
    WHEN TG_OP = 'DELETE' THEN to_jsonb(OLD) ->> 'api_id' ELSE to_jsonb(NEW) ->> 'api_id' END;
  UPDATE "combinations" SET "asked_groups" = "groups_asked"(of_api)
    WHERE "api_id" = of_api AND "asked_groups" IS DISTINCT FROM "groups_asked"(of_api);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "groups_asked" BEFORE INSERT ON "combinations" FOR EACH ROW
  EXECUTE FUNCTION "combinations_ask_groups"();
CREATE OR REPLACE TRIGGER "groups_asked" AFTER UPDATE OF "groups" ON "apis" FOR EACH ROW
  WHEN (OLD."groups" IS DISTINCT FROM NEW."groups") EXECUTE FUNCTION "combinations_ask_groups"();
CREATE OR REPLACE TRIGGER "groups_asked" AFTER INSERT ON "api_scopes" FOR EACH ROW
  WHEN (NEW."groups" <> '{}') EXECUTE FUNCTION "combinations_ask_groups"();
CREATE OR REPLACE TRIGGER "groups_asked_by_update" AFTER UPDATE OF "groups" ON "api_scopes" FOR EACH ROW
  WHEN (OLD."groups" IS DISTINCT FROM NEW."groups") EXECUTE FUNCTION "combinations_ask_groups"();
CREATE OR REPLACE TRIGGER "groups_asked_by_delete" AFTER DELETE ON "api_scopes" FOR EACH ROW
  WHEN (OLD."groups" <> '{}') EXECUTE FUNCTION "combinations_ask_groups"();
