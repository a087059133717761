# A token, until it expires: there is no refresh token
curl -sS {{tokenEndpoint}} {{#posts}}-d client_id={{clientId:word}} -d "client_secret=$CLIENT_SECRET"{{/posts}}{{^posts}}-u "{{clientId:double}}:$CLIENT_SECRET"{{/posts}} -d grant_type=client_credentials{{#scope}} --data-urlencode {{scopeParameter}}{{/scope}}

# Call the API
curl -sS -H 'Authorization: Bearer ACCESS_TOKEN' {{apiUrl}}
