-- A deleted family takes its refresh tokens with it. A trigger and no foreign key: a key locks the family's row, and so
-- writes to it, for each token that is added (docs/project/decisions/0004). A refresh in flight holds the row of the token that
-- it uses: the deletion waits for it there, and the next pass sees the successor.
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
