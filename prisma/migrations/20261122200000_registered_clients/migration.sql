-- Where a client comes from: null, made by people or the file; 'document'; 'registration' (RFC 7591).
SET LOCAL lock_timeout = '200ms';
ALTER TABLE "clients" ADD COLUMN IF NOT EXISTS "origin" TEXT;
