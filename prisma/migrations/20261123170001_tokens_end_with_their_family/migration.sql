-- Whoever deletes a family deletes its refresh tokens. A trigger instead of a foreign key, which locks the family's row, and so
-- writes to it, for each token that is added. A refresh that is in flight holds the row of the token that it uses: the deletion waits
-- for it there, and the next pass sees the successor.
SET LOCAL lock_timeout = '200ms';
CREATE FUNCTION "delete_tokens_of_family"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  LOOP
    DELETE FROM "refresh_tokens" WHERE "family_id" = OLD."id";
    EXIT WHEN NOT FOUND;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER "tokens_end_with_their_family" AFTER DELETE ON "token_families" FOR EACH ROW
  EXECUTE FUNCTION "delete_tokens_of_family"();
