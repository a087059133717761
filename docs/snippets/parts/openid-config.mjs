const config = await client.discovery(new URL({{issuer}}), {{clientId}}, {{^inBody}}undefined, {{/inBody}}{{>parts/openid-authentication.mjs}}{{#inBody}}, undefined{{/inBody}}, {
  algorithm: 'oauth2',
{{#insecure}}
  execute: [client.allowInsecureRequests], // for localhost only
{{/insecure}}
});
{{#bound}}
{{>parts/openid-key.mjs}}
{{/bound}}
