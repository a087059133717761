-- A refresh token is updated once, when it is used, and a session at each use, in columns that no index holds. With room
-- left on their pages the new version stays beside the old one, and no index is written to.
ALTER TABLE "refresh_tokens" SET (fillfactor = 60);
ALTER TABLE "sessions" SET (fillfactor = 70);
