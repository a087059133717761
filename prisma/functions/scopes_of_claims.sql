-- The scopes of claims that an `openid` request asked for one by one, as lib/oauth/openid/request.ts has them. Called
-- by allowed_at.
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
