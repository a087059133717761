// Code for the usual client libraries, with this client's addresses and names. Secrets are never filled in.
import type { ClientDetail } from '#lib/management/clients.ts';
import type { PublishedApi } from '#lib/oauth/metadata.ts';
import { angular, kotlin, oauth4webapi, openidClient, react, swift, vue } from './applications.ts';
import {
  authJs,
  type Facts,
  inUrl,
  js,
  keyLine,
  openidAddress,
  openidAddressProof,
  openidArguments,
  openidCall,
  openidClientSignIn,
  openidKeyLines,
  openidProof,
  quoted,
  type Snippet,
  sh,
  signInScope,
  signs,
} from './parts.ts';

// Web applications by framework: a sign-in that ends in a session of their own.

/** The path of the redirect address; where none is registered yet, the usual one. */
const pathOf = (redirectUri: string) => URL.parse(redirectUri)?.pathname ?? '/callback';

/** Where a developer's own machine serves the redirect address; empty: the host decides. */
const localOrigin = (redirectUri: string) => {
  const url = URL.parse(redirectUri);
  return url?.protocol === 'http:' ? quoted(url.origin) : '';
};

/** The port of the redirect address; behind a proxy that ends TLS another one. */
const portOf = (redirectUri: string) => {
  const { protocol = '', port = '' } = URL.parse(redirectUri) ?? {};
  return protocol === 'http:' ? port || '80' : 'process.env.PORT ?? 8080';
};

function expressServer(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, scope } = facts;
  const auth = openidArguments(facts, ' ');
  const more = issuer.startsWith('http:')
    ? '\n  execute: [client.allowInsecureRequests], // for localhost only'
    : '';
  const code = `// npm install express cookie openid-client
import { parse } from 'cookie';
import express from 'express';
import * as client from 'openid-client';

const config = await client.discovery(new URL(${js(issuer)}), ${js(clientId)}, ${auth.includes(',') ? auth : `${auth}, undefined`}, {
  algorithm: 'oauth2',${more}
});
${openidKeyLines(facts)}const redirectUri = new URL(${js(redirectUri)});
const app = express();

// keeps what began a sign-in in the browser that began it
const cookie = { httpOnly: true, sameSite: 'lax', secure: redirectUri.protocol === 'https:' };

app.get('/login', async (request, response) => {
  const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()];
  const address = ${openidAddress(facts)}(config, {
    redirect_uri: redirectUri.href,${scope ? `\n    scope: ${js(scope)},` : ''}
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }${openidAddressProof(facts)});
  response.cookie('sign_in', \`\${verifier} \${state}\`, cookie).redirect(address.href);
});

app.get(redirectUri.pathname, async (request, response) => {
  const [pkceCodeVerifier, expectedState] = (parse(request.headers.cookie ?? '').sign_in ?? '').split(' ');
  if (!expectedState) return response.redirect('/login');
  const currentUrl = new URL(request.originalUrl, redirectUri);
  const tokens = await client.authorizationCodeGrant(config, currentUrl, { pkceCodeVerifier, expectedState }${openidProof(facts, ', undefined')});
  // Keep the tokens in a session of your own, on the server.
  const answer = await ${openidCall(facts).replaceAll('\n', '\n  ')};
  response.clearCookie('sign_in', cookie).send(\`The API answered \${answer.status}\`);
});

app.listen(${portOf(redirectUri)});
`;
  return { label: 'Express, openid-client 6', framework: 'Express', code };
}

function dotnet(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, pushes } = facts;
  const push = pushes
    ? '\n        options.PushedAuthorizationBehavior = PushedAuthorizationBehavior.Require; // since .NET 9'
    : '';
  const scopes = signInScope(facts)
    .split(' ')
    .filter((one) => one !== 'openid' && one !== 'profile');
  const insecure = issuer.startsWith('http:')
    ? '\n        options.RequireHttpsMetadata = false; // for localhost only'
    : '';
  const code = `// dotnet add package Microsoft.AspNetCore.Authentication.OpenIdConnect
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;

var builder = WebApplication.CreateBuilder(args);
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = ${quoted(issuer)};
        options.ClientId = ${quoted(clientId)};
        options.ClientSecret = builder.Configuration["CLIENT_SECRET"];
        options.ResponseType = "code";
        options.ResponseMode = "query";
        options.CallbackPath = ${quoted(pathOf(redirectUri))};
        options.SaveTokens = true;
        options.GetClaimsFromUserInfoEndpoint = true;${push}${insecure}
${scopes.map((one) => `        options.Scope.Add(${quoted(one)});`).join('\n')}
    });
builder.Services.AddAuthorization();

var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
app.MapGet("/", async (HttpContext context) =>
{
    var token = await context.GetTokenAsync("access_token");
    return $"Hello {context.User.Identity?.Name}: {token?.Length} characters for the API";
}).RequireAuthorization();
app.Run(${localOrigin(redirectUri)});
`;
  return { label: '.NET, ASP.NET Core: Program.cs', framework: '.NET', code, unrun: true };
}

// A client that gets tokens in its own name (client credentials, RFC 6749 §4.4).

function curlOfMachine({ clientId, token, scope, by, apiUrl }: Facts): Snippet {
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

function nodeOfMachine(facts: Facts): Snippet {
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

function pythonOfMachine({ issuer, clientId, scope, by, apiUrl }: Facts): Snippet {
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

function authlib(facts: Facts): Snippet {
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

function golang(facts: Facts): Snippet {
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

function spring(facts: Facts): Snippet {
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

const curlPushing = (
  { clientId, redirectUri, scope }: Facts,
  auth: string,
): string => `# Push the request; then o${OPEN}
PUSHED=$(curl -sS "$ISSUER/par" ${auth} \\
  -d response_type=code --data-urlencode ${sh(`redirect_uri=${redirectUri}`)}${scope ? ` --data-urlencode ${sh(`scope=${scope}`)}` : ''} \\
  -d state=1 -d "code_challenge=$CHALLENGE" -d code_challenge_method=S256)
REQUEST_URI=$(echo "$PUSHED" | sed 's/.*"request_uri":"\\([^"]*\\)".*/\\1/')
echo "$ISSUER/authorize?client_id=${inUrl(clientId)}&request_uri=$REQUEST_URI"`;

function curl(facts: Facts): Snippet {
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

${facts.pushes ? curlPushing(facts, auth) : asking(facts)}

# The code for tokens, within 60 seconds
curl -sS "$ISSUER/token" ${auth} \\
  -d grant_type=authorization_code -d code=CODE -d "code_verifier=$VERIFIER"

# Call the API
curl -sS -H 'Authorization: Bearer ACCESS_TOKEN' ${sh(apiUrl)}
${renew}`;
  return { label: 'curl', framework: 'curl', code };
}

type Issuer = PublishedApi['issuers'][number];
type Given = {
  client: Pick<ClientDetail, 'clientId' | 'kind' | 'redirectUris' | 'tokenEndpointAuthMethod'> &
    Partial<
      Pick<
        ClientDetail,
        | 'requirePushedAuthorizationRequests'
        | 'dpopBoundAccessTokens'
        | 'postLogoutRedirectUris'
        | 'idTokenClaims'
      >
    >;
  api: PublishedApi;
  issuer: Issuer;
  /** the scopes of the subscription; empty: all of the API's */
  scopes: readonly string[];
  /** the subscription is for tokens in the client's own name, too */
  machine?: boolean;
};

export function snippetsFor({ client, api, issuer, scopes, machine = false }: Given): Snippet[] {
  const reach = scopes.length > 0 ? scopes : api.scopes.map(({ name }) => name);
  const facts = factsOf(client, api, issuer, reach);
  return librariesFor(facts, { client, machine })
    .filter(({ pushes, binds }) => (pushes || !facts.pushes) && (binds || !facts.bound))
    .map(({ make }) => make(facts));
}

/** Whether some libraries are left out, because they cannot do what the client or the API asks for. */
export const asksForMore = ({ client, api }: Pick<Given, 'client' | 'api'>): boolean =>
  mustPush(client, api) || mustBind(client, api);

/** What a library can do: push requests, and prove a key. */
type Library = { make: (facts: Facts) => Snippet; pushes: boolean; binds: boolean };
const plain = (make: Library['make']): Library => ({ make, pushes: false, binds: false });
const binding = (make: Library['make']): Library => ({ make, pushes: false, binds: true });
const pushing = (make: Library['make']): Library => ({ make, pushes: true, binds: false });
const both = (make: Library['make']): Library => ({ make, pushes: true, binds: true });

function librariesFor(
  facts: Facts,
  { client, machine }: { client: Given['client']; machine: boolean },
): Library[] {
  if (client.kind === 'browser')
    return [binding(react), binding(vue), binding(angular), both(oauth4webapi), pushing(curl)];
  const own = machine ? librariesOfMachine(facts) : [];
  // it sends no one to a sign-in
  if (machine && client.redirectUris.length === 0) return own;
  // the others sign nothing by themselves
  if (signs(facts)) return [both(openidClient), both(oauth4webapi), both(openidClientSignIn), ...own];
  const shared = [both(openidClient), both(oauth4webapi), plain(authlib), plain(golang)];
  const more = facts.confidential
    ? [plain(authJs), both(expressServer), plain(spring), ...dotnetOf(facts)]
    : [plain(swift), plain(kotlin)];
  return [...shared, ...more, both(openidClientSignIn), pushing(curl), ...own];
}

/** A token of its own is asked for at once, so that nothing is pushed. */
const librariesOfMachine = (facts: Facts) =>
  signs(facts)
    ? [both(nodeOfMachine)]
    : [pushing(curlOfMachine), both(nodeOfMachine), pushing(pythonOfMachine)];

/** Its library sends the secret only in the body. */
const dotnetOf = (facts: Facts) => (facts.by === 'client_secret_basic' ? [] : [pushing(dotnet)]);

const mustPush = (client: Given['client'], { profile }: PublishedApi) =>
  client.requirePushedAuthorizationRequests === true || profile === 'fapi-2.0';
const mustBind = (client: Given['client'], { dpop }: PublishedApi) =>
  client.dpopBoundAccessTokens === true || dpop === 'required';

/** For readers without a client: words in capitals are placeholders of its name and address. */
export function firstSnippet(api: PublishedApi): Snippet | null {
  const [issuer] = api.issuers;
  const client = {
    clientId: 'CLIENT_ID',
    kind: 'confidential' as const,
    redirectUris: [],
    tokenEndpointAuthMethod: api.profile === 'fapi-2.0' ? ('private_key_jwt' as const) : null,
  };
  const scopes = api.scopes.map(({ name }) => name);
  return issuer ? openidClient(factsOf(client, api, issuer, scopes)) : null;
}

function factsOf(
  client: Given['client'],
  api: PublishedApi,
  issuer: Issuer,
  scopes: readonly string[],
): Facts {
  return {
    issuer: issuer.issuer,
    token: issuer.tokenEndpoint,
    clientId: client.clientId,
    redirectUri: client.redirectUris[0] ?? 'YOUR_REDIRECT_ADDRESS',
    signedOutUri: client.postLogoutRedirectUris?.[0] ?? null,
    claimsInIdToken: client.idTokenClaims === true,
    scope: scopes.join(' '),
    apiUrl: api.url,
    confidential: client.kind === 'confidential',
    by: client.tokenEndpointAuthMethod,
    refreshes: client.kind !== 'browser' || client.dpopBoundAccessTokens === true,
    pushes: mustPush(client, api),
    bound: mustBind(client, api),
  };
}
