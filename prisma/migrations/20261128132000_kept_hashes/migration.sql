-- of hashes that are not of today's kind: which kinds there are (lib/store/tokens/kept-hashes.ts)
CREATE INDEX CONCURRENTLY IF NOT EXISTS "people_kept_hash_idx" ON "people"((substring(password_hash from '^[$](?:(?:wp|bcrypt-[a-z0-9]+)[$])?(?:2[aby][$]\d+|[a-z0-9-]+[$](?:v=\d+[$])?(?:[a-z0-9]+=\d+,?)+)'))) WHERE not starts_with(password_hash, '$argon2id$v=19$m=19456,t=2,p=1$');
