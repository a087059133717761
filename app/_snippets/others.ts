import type { Facts, Snippet } from './facts.ts';
import { signInScope } from './openid.ts';
import { inUrl, quoted, sh } from './quote.ts';

export function authlib(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, scope, confidential, by, apiUrl } = facts;
  const secret = confidential
    ? `\n    client_secret=os.environ["CLIENT_SECRET"],\n    token_endpoint_auth_method=${quoted(by ?? 'client_secret_basic')},`
    : `\n    token_endpoint_auth_method="none",`;
  const code = `${confidential ? 'import os\n' : ''}import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

server = requests.get(${quoted(`${issuer}/.well-known/openid-configuration`)}).json()
session = OAuth2Session(
    client_id=${quoted(clientId)},${secret}
    redirect_uri=${quoted(redirectUri)},${scope ? `\n    scope=${quoted(scope)},` : ''}
    code_challenge_method="S256",
    token_endpoint=server["token_endpoint"],
)

# 1. Send the person away; keep verifier and state in their session.
verifier = generate_token(64)
address, state = session.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)

# 2. They come back to your redirect address: current_url.
session.fetch_token(authorization_response=current_url, state=state, code_verifier=verifier)

# 3. Call the API; an expired token is renewed on the way.
session.get(${quoted(apiUrl)})
`;
  return { label: 'Python, Authlib', framework: 'Python', code };
}

export function golang(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, scope, confidential, by, apiUrl } = facts;
  const scopes = scope.split(' ').filter(Boolean).map(quoted).join(', ');
  const code = `// go get golang.org/x/oauth2 github.com/coreos/go-oidc/v3/oidc
provider, err := oidc.NewProvider(ctx, ${quoted(issuer)})
endpoint := provider.Endpoint()
endpoint.AuthStyle = oauth2.AuthStyleIn${by === 'client_secret_basic' ? 'Header' : 'Params'}
config := &oauth2.Config{
	ClientID:     ${quoted(clientId)},${confidential ? '\n	ClientSecret: os.Getenv("CLIENT_SECRET"),' : ''}
	RedirectURL:  ${quoted(redirectUri)},
	Scopes:       []string{${scopes}},
	Endpoint:     endpoint,
}

// 1. Send the person away; keep verifier and state in their session.
verifier := oauth2.GenerateVerifier()
state := rand.Text()
address := config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))

// 2. They come back to your redirect address: compare state, then
token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))

// 3. Call the API; an expired token is renewed on the way.
response, err := config.Client(ctx, token).Get(${quoted(apiUrl)})
`;
  return { label: 'Go, golang.org/x/oauth2', framework: 'Go', code, unrun: true };
}

export function spring(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, by } = facts;
  const { protocol = '', port = '' } = URL.parse(redirectUri) ?? {};
  const served = protocol === 'http:' ? `server:\n  port: ${port || 80}\n` : '';
  const code = `${served}spring:
  security:
    oauth2:
      client:
        registration:
          gatehouse:
            client-id: ${quoted(clientId)}
            client-secret: \${CLIENT_SECRET}
            client-authentication-method: ${by ?? 'client_secret_basic'}
            authorization-grant-type: authorization_code
            redirect-uri: ${quoted(redirectUri)}
            scope: ${JSON.stringify(signInScope(facts).split(' '))}
        provider:
          gatehouse:
            issuer-uri: ${quoted(issuer)}
`;
  return { label: 'Java, Spring Security: application.yml', framework: 'Spring', code, unrun: true };
}

const OPEN = 'pen this in a browser, sign in, and copy code out of the address you land on';

function asking({ clientId, redirectUri, scope }: Facts): string {
  const query = [
    'response_type=code',
    `client_id=${inUrl(clientId)}`,
    `redirect_uri=${inUrl(redirectUri)}`,
    ...(scope ? [`scope=${inUrl(scope)}`] : []),
    'state=1',
    'code_challenge=$CHALLENGE',
    'code_challenge_method=S256',
  ].join('&');
  return `# O${OPEN}
echo "$ISSUER/authorize?${query}"`;
}

const pushing = (
  { clientId, redirectUri, scope }: Facts,
  auth: string,
): string => `# Push the request; then o${OPEN}
PUSHED=$(curl -sS "$ISSUER/par" ${auth} \\
  -d response_type=code --data-urlencode ${sh(`redirect_uri=${redirectUri}`)}${scope ? ` --data-urlencode ${sh(`scope=${scope}`)}` : ''} \\
  -d state=1 -d "code_challenge=$CHALLENGE" -d code_challenge_method=S256)
REQUEST_URI=$(echo "$PUSHED" | sed 's/.*"request_uri":"\\([^"]*\\)".*/\\1/')
echo "$ISSUER/authorize?client_id=${inUrl(clientId)}&request_uri=$REQUEST_URI"`;

export function curl(facts: Facts): Snippet {
  const { issuer, clientId, confidential, by, refreshes, apiUrl } = facts;
  const inBody = confidential ? ' -d "client_secret=$CLIENT_SECRET"' : '';
  const inHeader = confidential && by !== 'client_secret_post';
  const auth = inHeader ? `-u "${clientId}:$CLIENT_SECRET"` : `-d client_id=${clientId}${inBody}`;
  const renew = refreshes
    ? `
# Renew; keep the new refresh token
curl -sS "$ISSUER/token" ${auth} -d grant_type=refresh_token -d refresh_token=REFRESH_TOKEN
`
    : '';
  const code = `ISSUER=${sh(issuer)}
VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')

${facts.pushes ? pushing(facts, auth) : asking(facts)}

# The code for tokens, within 60 seconds
curl -sS "$ISSUER/token" ${auth} \\
  -d grant_type=authorization_code -d code=CODE -d "code_verifier=$VERIFIER"

# Call the API
curl -sS -H 'Authorization: Bearer ACCESS_TOKEN' ${sh(apiUrl)}
${renew}`;
  return { label: 'curl', framework: 'curl', code };
}
