-- The scopes of the claims that an `openid` request named individually. The mapping equals that of
-- lib/oauth/openid.ts. allowed_at calls it.
CREATE OR REPLACE FUNCTION "scopes_of_claims"("openid" JSONB) RETURNS TEXT[]
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN ARRAY(
    SELECT CASE
        WHEN "claim" IN ('email', 'email_verified') THEN 'email'
        WHEN "claim" = 'address' THEN 'address'
        WHEN "claim" IN ('phone_number', 'phone_number_verified') THEN 'phone'
        ELSE 'profile' END
    FROM jsonb_array_elements_text(coalesce("openid" -> 'idToken', '[]') || coalesce("openid" -> 'userinfo', '[]')) AS "claim"
  );
END $$;
