-- Agents: clients that no person registered. An API says whether it takes any; a client says where its row came from, and what
-- its document said when; a subscription may limit how long what a person allowed lasts.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "apis" ADD COLUMN "agents" TEXT NOT NULL DEFAULT 'off',
ADD COLUMN "agent_hosts" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN "auto_approve" JSONB NOT NULL DEFAULT '[]';

ALTER TABLE "clients" ADD COLUMN IF NOT EXISTS "origin" TEXT,
ADD COLUMN "grant_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN "document_read_at" TIMESTAMPTZ(6),
ADD COLUMN "identity_changed_at" TIMESTAMPTZ(6);

ALTER TABLE "subscriptions" ADD COLUMN "max_days" INTEGER;

-- Who came with an agent that waits for approval. It is new and empty, so its keys are checked in no time.
CREATE TABLE "agent_requests" (
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_requests_pkey" PRIMARY KEY ("client_id","api_id","person_id")
);
CREATE INDEX "agent_requests_person_id_asked_at_idx" ON "agent_requests"("person_id", "asked_at");
ALTER TABLE "agent_requests" ADD CONSTRAINT "agent_requests_client_id_api_id_fkey" FOREIGN KEY ("client_id", "api_id") REFERENCES "subscriptions"("client_id", "api_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "agent_requests" ADD CONSTRAINT "agent_requests_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
