import * as client from 'openid-client';
{{#signs}}
{{>parts/key.mjs}}
{{/signs}}

{{>parts/openid-config.mjs}}

// 1. Request a token. Request the next one a minute before it expires.
const tokens = await client.clientCredentialsGrant(config{{#scope}}, { scope: {{scope}} }{{/scope}}{{^scope}}{{#bound}}, {}{{/bound}}{{/scope}}{{#bound}}, { DPoP }{{/bound}});

// 2. Call the API.
const answer = await {{>parts/openid-call.mjs}};
