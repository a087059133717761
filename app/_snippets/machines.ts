// A client that gets tokens in its own name (client credentials, RFC 6749 §4.4).
import { keyLine, openidArguments } from './authentication.ts';
import { openidCall, openidKeyLines, openidProof } from './bound.ts';
import type { Facts, Snippet } from './facts.ts';
import { js, quoted, sh } from './quote.ts';

export function curlOfMachine({ clientId, token, scope, by, apiUrl }: Facts): Snippet {
  const auth =
    by === 'client_secret_post'
      ? `-d client_id=${clientId} -d "client_secret=$CLIENT_SECRET"`
      : `-u "${clientId}:$CLIENT_SECRET"`;
  const asked = scope ? ` --data-urlencode ${sh(`scope=${scope}`)}` : '';
  const code = `# A token, until it expires: there is no refresh token
curl -sS ${sh(token)} ${auth} -d grant_type=client_credentials${asked}

# Call the API
curl -sS -H 'Authorization: Bearer ACCESS_TOKEN' ${sh(apiUrl)}
`;
  return { label: 'curl', for: 'application-token', framework: 'curl', code };
}

export function nodeOfMachine(facts: Facts): Snippet {
  const { issuer, clientId, scope } = facts;
  const asked = scope ? `, { scope: ${js(scope)} }` : facts.bound ? ', {}' : '';
  const auth = openidArguments(facts, ' ');
  const more = issuer.startsWith('http:')
    ? '\n  execute: [client.allowInsecureRequests], // for localhost only'
    : '';
  const code = `import * as client from 'openid-client';
${keyLine(facts)}
const config = await client.discovery(new URL(${js(issuer)}), ${js(clientId)}, ${auth.includes(',') ? auth : `${auth}, undefined`}, {
  algorithm: 'oauth2',${more}
});
${openidKeyLines(facts)}
// 1. A token, until it expires: ask again a minute before.
const tokens = await client.clientCredentialsGrant(config${asked}${openidProof(facts)});

// 2. Call the API.
const answer = await ${openidCall(facts)};
`;
  return { label: 'JavaScript, openid-client 6', for: 'application-token', framework: 'JavaScript', code };
}

export function pythonOfMachine({ issuer, clientId, scope, by, apiUrl }: Facts): Snippet {
  const code = `import os
import requests
from authlib.integrations.requests_client import OAuth2Session

server = requests.get(${quoted(`${issuer}/.well-known/openid-configuration`)}).json()
session = OAuth2Session(
    client_id=${quoted(clientId)},
    client_secret=os.environ["CLIENT_SECRET"],
    token_endpoint_auth_method=${quoted(by ?? 'client_secret_basic')},${scope ? `\n    scope=${quoted(scope)},` : ''}
    token_endpoint=server["token_endpoint"],
    grant_type="client_credentials",
)

# 1. A token, until it expires: the session asks for the next one by itself.
session.fetch_token()

# 2. Call the API.
answer = session.get(${quoted(apiUrl)})
`;
  return { label: 'Python, Authlib', for: 'application-token', framework: 'Python', code };
}
