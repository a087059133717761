-- Two conditions of the statements that give or look up tokens, as functions: a statement pays for every subquery that its plan
-- holds, read or not, and for a function only when it is called. Few subscriptions and scopes need them.

-- Has the person, as the method knows them, one of the claim's values? "claim" is that of a subscription: {"name", "values"}. What
-- the person's claim has, or contains, is compared as text. An e-mail address counts where it is proved, in small letters, and by
-- its domain too (@example.com).
CREATE FUNCTION "has_claim"("claim" JSONB, "person" UUID, "method" TEXT) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  wanted_name CONSTANT TEXT := "claim" ->> 'name';
  wanted CONSTANT TEXT[] := ARRAY(SELECT jsonb_array_elements_text("claim" -> 'values'));
BEGIN
  RETURN EXISTS (
    SELECT FROM (
      SELECT lower(coalesce(p."email", i."email")) AS "email", i."claims" -> wanted_name AS "has",
        CASE WHEN p."email" IS NOT NULL THEN p."email_verified_at" IS NOT NULL
          ELSE i."email_verified" AND m."config" @> '{"trust_email": true}' END AS "proved"
      FROM "people" p
        LEFT JOIN ("external_identities" i JOIN "auth_methods" m ON m."id" = i."auth_method_id")
          ON i."person_id" = p."id" AND i."auth_method_id" = "method"
      WHERE p."id" = "person"
    ) k
    WHERE CASE
      WHEN wanted_name = 'email'
        THEN k."proved" AND ARRAY[k."email", substring(k."email" FROM '@[^@]*$')] && wanted
      WHEN wanted_name = 'email_verified' THEN k."proved"::TEXT = ANY (wanted)
      WHEN jsonb_typeof(k."has") = 'array' THEN k."has" ?| wanted
      WHEN jsonb_typeof(k."has") <> 'object' THEN k."has" #>> '{}' = ANY (wanted)
    END
  );
END $$;

-- The level of sign-in that the most demanding of these scopes of the API asks for; 1: any.
CREATE FUNCTION "level_of_scopes"("api" TEXT, "names" TEXT[]) RETURNS INTEGER
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN coalesce((
    SELECT max(array_position(ARRAY['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa',
      'urn:gatehouse:acr:phishing-resistant'], x."required_acr"))
    FROM "api_scopes" x WHERE x."api_id" = "api" AND x."name" = ANY ("names")
  ), 1);
END $$;
