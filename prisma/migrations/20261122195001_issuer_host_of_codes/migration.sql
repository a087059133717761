-- Codes and families belong to the address that they began at. One table a migration: none waits for the other's readers.
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "codes" ADD COLUMN     "issuer_host" TEXT;
