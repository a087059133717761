// Web applications by framework: a sign-in that ends in a session of their own.
import { openidArguments } from './authentication.ts';
import { openidAddress, openidAddressProof, openidCall, openidKeyLines, openidProof } from './bound.ts';
import type { Facts, Snippet } from './facts.ts';
import { signInScope } from './openid.ts';
import { js, quoted } from './quote.ts';

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

export function expressServer(facts: Facts): Snippet {
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

export function dotnet(facts: Facts): Snippet {
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
