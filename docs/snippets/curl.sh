ISSUER={{issuer}}
VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')

{{#pushes}}
# Push the request; then open this in a browser, sign in, and copy code out of the address you land on
PUSHED=$(curl -sS "$ISSUER/par" {{>parts/curl-client.sh}} \
  -d response_type=code --data-urlencode {{redirectParameter}}{{#scope}} --data-urlencode {{scopeParameter}}{{/scope}} \
  -d state=1 -d "code_challenge=$CHALLENGE" -d code_challenge_method=S256)
REQUEST_URI=$(echo "$PUSHED" | sed 's/.*"request_uri":"\([^"]*\)".*/\1/')
echo "$ISSUER/authorize?client_id={{clientId:query}}&request_uri=$REQUEST_URI"
{{/pushes}}
{{^pushes}}
# Open this in a browser, sign in, and copy code out of the address you land on
echo "$ISSUER/authorize?response_type=code&client_id={{clientId:query}}&redirect_uri={{redirectUri:query}}{{#scope}}&scope={{scope:query}}{{/scope}}&state=1&code_challenge=$CHALLENGE&code_challenge_method=S256"
{{/pushes}}

# The code for tokens, within 60 seconds
curl -sS "$ISSUER/token" {{>parts/curl-client.sh}} \
  -d grant_type=authorization_code -d code=CODE -d "code_verifier=$VERIFIER"

# Call the API
curl -sS -H 'Authorization: Bearer ACCESS_TOKEN' {{apiUrl}}
{{#refreshes}}

# Renew; keep the new refresh token
curl -sS "$ISSUER/token" {{>parts/curl-client.sh}} -d grant_type=refresh_token -d refresh_token=REFRESH_TOKEN
{{/refreshes}}
