{{#bound}}client.fetchProtectedResource(config, tokens.access_token, new URL(
  {{apiUrl}},
), 'GET', undefined, undefined, { DPoP }){{/bound}}{{^bound}}fetch({{apiUrl}}, {
  headers: { authorization: `Bearer ${tokens.access_token}` },
}){{/bound}}
