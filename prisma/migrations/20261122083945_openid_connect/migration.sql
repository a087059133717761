-- OpenID Connect: families know their session, sessions how the person proved who they are; what an `openid` request asked for;
-- claims of external and broker people; what a client registers for sign-out, and the outbox of back-channel logout.
-- AlterTable
ALTER TABLE "apis" ADD COLUMN     "token_claims" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "clients" ADD COLUMN     "backchannel_logout_session_required" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "backchannel_logout_uri" TEXT,
ADD COLUMN     "id_token_signed_response_alg" TEXT NOT NULL DEFAULT 'RS256',
ADD COLUMN     "post_logout_redirect_uris" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "codes" ADD COLUMN     "openid" JSONB;

-- AlterTable
ALTER TABLE "external_identities" ADD COLUMN     "claims" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "email_verified" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "amr" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "broker_acr" TEXT,
ADD COLUMN     "sid" UUID NOT NULL DEFAULT gen_random_uuid();

-- AlterTable
ALTER TABLE "token_families" ADD COLUMN     "openid" JSONB,
ADD COLUMN     "sid" UUID;

-- CreateTable
CREATE TABLE "logout_deliveries" (
    "id" BIGSERIAL NOT NULL,
    "client_id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "sid" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "logout_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "logout_deliveries_next_try_at_idx" ON "logout_deliveries"("next_try_at");

-- CreateIndex
CREATE UNIQUE INDEX "logout_deliveries_sid_client_id_api_id_key" ON "logout_deliveries"("sid", "client_id", "api_id");

-- AddForeignKey
ALTER TABLE "logout_deliveries" ADD CONSTRAINT "logout_deliveries_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
