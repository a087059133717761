SET LOCAL lock_timeout = '200ms';

-- CreateTable
CREATE TABLE "client_assertions" (
    "client_id" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "since" TIMESTAMPTZ(6) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "client_assertions_pkey" PRIMARY KEY ("client_id")
);

-- AddForeignKey
ALTER TABLE "client_assertions" ADD CONSTRAINT "client_assertions_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "clients"("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
