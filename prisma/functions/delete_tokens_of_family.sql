-- Deletes the refresh tokens of a deleted family. A foreign key would lock the family's row, and therefore write to it,
-- for each new token (docs/project/decisions/0004). A concurrent refresh locks the row of its token: the deletion waits
-- for that lock, and the next run deletes the successor.
CREATE OR REPLACE FUNCTION "delete_tokens_of_family"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  LOOP
    DELETE FROM "refresh_tokens" WHERE "family_id" = OLD."id";
    EXIT WHEN NOT FOUND;
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "tokens_end_with_their_family" AFTER DELETE ON "token_families" FOR EACH ROW
  EXECUTE FUNCTION "delete_tokens_of_family"();
