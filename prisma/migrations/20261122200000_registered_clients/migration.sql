-- Where a client comes from: null, made by people or the file; 'document'; 'registration' (RFC 7591).
ALTER TABLE "clients" ADD COLUMN IF NOT EXISTS "origin" TEXT;
