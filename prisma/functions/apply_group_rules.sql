-- What the rules of groups say of a person at one method: "in_groups" bring them in, and they leave every other group
-- that a rule on this method brought them into, but those of "unknown", of which the method did not say. "said_at": an
-- older word than one that was asked before changes nothing; null: it is said now. Locks the identity, so that of two
-- at once the later one sees what the first one did. The rules may have changed since they were asked: only a group
-- with a rule on this method takes the person in, and its row is locked, so that a change waits and finds them in it,
-- or is seen here. Groups are locked before the person and the identity, as by every other writer. Gives the number of
-- groups that changed; -1: nothing was done, as another sign-in took the person out of one meanwhile: ask again.
CREATE OR REPLACE FUNCTION "apply_group_rules"("person" UUID, "method" TEXT, "in_groups" TEXT[], "unknown" TEXT[], "said_at" TIMESTAMPTZ)
RETURNS INTEGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  locked TEXT[];
  fresh TEXT[];
  gone INTEGER;
  come INTEGER;
BEGIN
  -- rows of groups that the person is in already are not locked: a change that ends the rule takes them out by itself
  locked := ARRAY(SELECT k."id" FROM "groups" k WHERE k."id" = ANY ("in_groups")
    AND k."rules" @> jsonb_build_array(jsonb_build_object('auth_method', "method"))
    AND NOT EXISTS (SELECT FROM "group_members" g
      WHERE g."person_id" = "person" AND g."group_id" = k."id" AND g."origin" = "method")
    ORDER BY k."id" FOR SHARE OF k);
  IF locked <> '{}' THEN PERFORM FROM "people" p WHERE p."id" = "person" FOR KEY SHARE; END IF;
  PERFORM FROM "external_identities" i WHERE i."person_id" = "person" AND i."auth_method_id" = "method" FOR UPDATE;
  IF NOT FOUND OR EXISTS (SELECT FROM "external_identities" i WHERE i."person_id" = "person"
    AND i."auth_method_id" = "method" AND "said_at" <= i."groups_at") THEN
    RETURN 0;
  END IF;
  fresh := ARRAY(SELECT k."id" FROM "groups" k WHERE k."id" = ANY ("in_groups")
    AND k."rules" @> jsonb_build_array(jsonb_build_object('auth_method', "method"))
    AND NOT EXISTS (SELECT FROM "group_members" g
      WHERE g."person_id" = "person" AND g."group_id" = k."id" AND g."origin" = "method"));
  IF NOT fresh <@ locked THEN RETURN -1; END IF;
  UPDATE "external_identities" i SET "groups_at" = coalesce("said_at", clock_timestamp())
    WHERE i."person_id" = "person" AND i."auth_method_id" = "method";
  DELETE FROM "group_members" g WHERE g."person_id" = "person" AND g."origin" = "method"
    AND g."group_id" <> ALL ("in_groups") AND g."group_id" <> ALL ("unknown");
  GET DIAGNOSTICS gone = ROW_COUNT;
  INSERT INTO "group_members" ("person_id", "group_id", "origin")
    SELECT "person", n."id", "method" FROM unnest(fresh) AS n ("id") ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS come = ROW_COUNT;
  RETURN gone + come;
END $$;
