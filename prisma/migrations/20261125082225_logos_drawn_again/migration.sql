-- Logos are drawn again, in two sizes, and what was sent is not kept. Pictures from before were kept as they came: none of them is
-- served any more, so the brands that refer to them have no logo until it is sent again.
SET LOCAL lock_timeout = '200ms';

UPDATE "apis" SET "brand" = NULLIF("brand" || '{"logo": null}', '{"logo": null, "accent": null, "accent_dark": null}')
  WHERE "brand" ->> 'logo' IS NOT NULL;
UPDATE "clients" SET "brand" = NULLIF("brand" || '{"logo": null}', '{"logo": null, "accent": null, "accent_dark": null}')
  WHERE "brand" ->> 'logo' IS NOT NULL;
DELETE FROM "logos";

-- AlterTable
ALTER TABLE "logos" DROP COLUMN "bytes",
DROP COLUMN "type",
ADD COLUMN     "large" BYTEA NOT NULL,
ADD COLUMN     "small" BYTEA NOT NULL,
ADD COLUMN     "source" TEXT NOT NULL;

-- CreateIndex
CREATE INDEX "logos_source_idx" ON "logos"("source");
