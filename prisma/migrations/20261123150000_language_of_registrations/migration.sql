-- The language of the page where somebody asked for an account: the mail that tells of a decision is in it.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "person_registrations" ADD COLUMN "language" TEXT;
