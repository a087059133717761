-- Wrong codes of an app since the last right one, or the last other proof of its person.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "totp_secrets" ADD COLUMN "wrong_codes" INTEGER NOT NULL DEFAULT 0;
