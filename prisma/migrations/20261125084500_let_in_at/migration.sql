-- The local methods that let in whoever made an account themselves; null: each.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "people" ADD COLUMN "let_in_at" TEXT[];
