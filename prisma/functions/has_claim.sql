-- True if the person, by the data of the method, has one of the claim's values. "claim" is the required claim of a
-- subscription: {"name", "values"}. Values are compared as text. An e-mail address matches only if it is verified. It
-- is compared in lower case, and its domain also matches (@example.com). The function lower() uses the collation "C",
-- because a Turkish collation turns I into ı. For "groups", the groups of Gatehouse match in addition to the method's
-- groups. If users of several tenants sign in (Microsoft), a value matches only with its tenant (TENANT/VALUE): the
-- administrators of one tenant are not administrators of another. It is a function, because few subscriptions require a
-- claim, and requests for other subscriptions do not pay for the joins.
CREATE OR REPLACE FUNCTION "has_claim"("claim" JSONB, "person" UUID, "method" TEXT) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  wanted_name CONSTANT TEXT := "claim" ->> 'name';
  wanted CONSTANT TEXT[] := ARRAY(SELECT jsonb_array_elements_text("claim" -> 'values'));
BEGIN
  IF wanted_name = 'groups'
    AND EXISTS (SELECT FROM "group_members" g WHERE g."person_id" = "person" AND g."group_id" = ANY (wanted)) THEN
    RETURN TRUE;
  END IF;
  RETURN EXISTS (
    SELECT FROM (
      SELECT lower(coalesce(p."email", i."email") COLLATE "C") AS "email", i."claims" -> wanted_name AS "has",
        CASE WHEN p."email" IS NOT NULL THEN p."email_verified_at" IS NOT NULL
          ELSE i."email_verified" AND m."config" @> '{"trust_email": true}' END AS "proved",
        CASE WHEN m."config" -> 'tenants' = '"any"' OR jsonb_typeof(m."config" -> 'tenants') = 'array' AND jsonb_array_length(m."config" -> 'tenants') > 1
          THEN ARRAY(SELECT substr(w."value", strpos(w."value", '/') + 1) FROM unnest(wanted) AS w ("value")
            WHERE lower(split_part(w."value", '/', 1) COLLATE "C") = split_part(i."subject", '/', 1) AND strpos(w."value", '/') > 1)
          ELSE wanted END AS "counted"
      FROM "people" p
        LEFT JOIN ("external_identities" i JOIN "auth_methods" m ON m."id" = i."auth_method_id")
          ON i."person_id" = p."id" AND i."auth_method_id" = "method"
      WHERE p."id" = "person"
    ) k
    WHERE CASE
      WHEN wanted_name = 'email'
        THEN k."proved" AND ARRAY[k."email", substring(k."email" FROM '@[^@]*$')] && wanted
      WHEN wanted_name = 'email_verified' THEN k."proved"::TEXT = ANY (wanted)
      WHEN jsonb_typeof(k."has") = 'array' THEN k."has" ?| k."counted"
      WHEN jsonb_typeof(k."has") <> 'object' THEN k."has" #>> '{}' = ANY (k."counted")
    END
  );
END $$;
