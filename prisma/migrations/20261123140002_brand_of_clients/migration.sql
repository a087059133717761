SET LOCAL lock_timeout = '200ms';
ALTER TABLE "clients" ADD COLUMN "brand" JSONB, ADD COLUMN "tos_uri" TEXT, ADD COLUMN "policy_uri" TEXT;

-- Whoever decides about a subscription sees what people would be shown: once that is another, what was seen is stale.
CREATE TRIGGER "undecided_go_stale_by_brand" AFTER UPDATE OF "brand" ON "clients" FOR EACH ROW
  WHEN (OLD."brand" IS DISTINCT FROM NEW."brand")
  EXECUTE FUNCTION "make_undecided_stale"();
