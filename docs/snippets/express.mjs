// npm install express cookie@1 openid-client
import { parse } from 'cookie';
import express from 'express';
import * as client from 'openid-client';

{{>parts/openid-config.mjs}}
const redirectUri = new URL({{redirectUri}});
const app = express();

// stores verifier and state in the browser of the user
const cookie = { httpOnly: true, sameSite: 'lax', secure: redirectUri.protocol === 'https:' };

app.get('/login', async (request, response) => {
  const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()];
  const address = {{>parts/openid-address.mjs}}(config, {
    redirect_uri: redirectUri.href,
{{#scope}}
    scope: {{scope}},
{{/scope}}
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }{{#pushes}}{{#bound}}, { DPoP }{{/bound}}{{/pushes}});
  response.cookie('sign_in', `${verifier} ${state}`, cookie).redirect(address.href);
});

app.get(redirectUri.pathname, async (request, response) => {
  const [pkceCodeVerifier, expectedState] = (parse(request.headers.cookie ?? '').sign_in ?? '').split(' ');
  if (!expectedState) return response.redirect('/login');
  const currentUrl = new URL(request.originalUrl, redirectUri);
  const tokens = await client.authorizationCodeGrant(config, currentUrl, { pkceCodeVerifier, expectedState }{{#bound}}, undefined, { DPoP }{{/bound}});
  // Store the tokens in a session on your server.
  const answer = await {{>parts/openid-call.mjs}};
  response.clearCookie('sign_in', cookie).send(`The API answered ${answer.status}`);
});

app.listen({{#port}}{{port:plain}}{{/port}}{{^port}}process.env.PORT ?? 8080{{/port}});
