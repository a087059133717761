-- What a person lets an agent do in their name: this client, this API, these scopes, until a date. What is given by it rests
-- on its epoch, as on a consent's; a row that is gone, or given anew, ends it.
SET LOCAL lock_timeout = '200ms';
CREATE TABLE "delegations" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "person_id" UUID NOT NULL,
  "client_id" TEXT NOT NULL,
  "api_id" TEXT NOT NULL,
  "scopes" TEXT[] NOT NULL,
  "until" TIMESTAMPTZ(6) NOT NULL,
  "epoch" BIGINT NOT NULL DEFAULT next_epoch(),
  "given_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "delegations_pkey" PRIMARY KEY ("id"),
  -- its tokens rest on a consent that was given on the page, and on nothing else
  CONSTRAINT "delegations_not_management" CHECK ("api_id" <> 'management')
);

CREATE UNIQUE INDEX "delegations_person_id_client_id_api_id_key" ON "delegations"("person_id", "client_id", "api_id");
CREATE INDEX "delegations_client_id_idx" ON "delegations"("client_id");
CREATE INDEX "delegations_api_id_idx" ON "delegations"("api_id");
CREATE INDEX "delegations_until_idx" ON "delegations"("until");

ALTER TABLE "delegations" ADD CONSTRAINT "delegations_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "delegations" ADD CONSTRAINT "delegations_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "delegations" ADD CONSTRAINT "delegations_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "apis"("id") ON DELETE CASCADE ON UPDATE CASCADE;
