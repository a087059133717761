-- CreateTable
CREATE TABLE "usage_counts" (
    "minutes" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "kind" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "auth_method_id" TEXT NOT NULL,
    "n" BIGINT NOT NULL,
    "longest" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_counts_pkey" PRIMARY KEY ("minutes","at","kind","what","detail","api_id","auth_method_id")
);
