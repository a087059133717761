-- Applies the rules of groups to a person at one method. The person joins "in_groups", and leaves each other group that
-- a rule on this method added, except "unknown" groups, about which the method sent no data. The parameter "said_at" is
-- the time of the method's data; null means now. Older data than the last applied data changes nothing. The function
-- locks the identity, so that the later of two concurrent calls sees the result of the first. The rules may have
-- changed since their evaluation. Therefore the person joins only groups that still have a rule on this method, and
-- these groups are locked. A concurrent change of a group either waits and finds the new member, or this function sees
-- the change. Groups are locked before the person and the identity, as in every other writer. A change is recorded as
-- person.groups_changed. Returns the number of changed groups. -1: nothing was done, because a concurrent sign-in removed
-- the person from a group; the caller retries.
CREATE OR REPLACE FUNCTION "apply_group_rules"("person" UUID, "method" TEXT, "in_groups" TEXT[], "unknown" TEXT[], "said_at" TIMESTAMPTZ)
RETURNS INTEGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  locked TEXT[];
  fresh TEXT[];
  lost TEXT[];
  joined TEXT[];
BEGIN
  -- groups of which the person is already a member are not locked: a change that deletes the rule removes the member
  -- itself
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
  WITH gone AS (
    DELETE FROM "group_members" g WHERE g."person_id" = "person" AND g."origin" = "method"
      AND g."group_id" <> ALL ("in_groups") AND g."group_id" <> ALL ("unknown") RETURNING g."group_id"
  ) SELECT coalesce(array_agg(x."group_id" ORDER BY x."group_id"), '{}') INTO lost FROM gone x;
  WITH come AS (
    INSERT INTO "group_members" ("person_id", "group_id", "origin")
      SELECT "person", n."id", "method" FROM unnest(fresh) AS n ("id") ON CONFLICT DO NOTHING RETURNING "group_id"
  ) SELECT coalesce(array_agg(x."group_id" ORDER BY x."group_id"), '{}') INTO joined FROM come x;
  IF lost <> '{}' OR joined <> '{}' THEN
    INSERT INTO "audit_events" ("event", "person_id", "auth_method_id", "details")
    VALUES ('person.groups_changed', "person", "method", jsonb_build_object('joined', joined, 'left', lost));
  END IF;
  RETURN cardinality(lost) + cardinality(joined);
END $$;
