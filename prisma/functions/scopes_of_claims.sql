-- The scopes of the claims that an `openid` request named individually. allowed_at calls it.
CREATE OR REPLACE FUNCTION "scopes_of_claims"("openid" JSONB) RETURNS TEXT[]
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN ARRAY(
    SELECT CASE {{scopes of claims}} ELSE 'profile' END
    FROM jsonb_array_elements_text(coalesce("openid" -> 'idToken', '[]') || coalesce("openid" -> 'userinfo', '[]')) AS "claim"
  );
END $$;
