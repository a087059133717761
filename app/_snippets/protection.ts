// Code for who runs an API: how it checks the tokens that its callers bring, with the API's addresses and names.
import type { PublishedApi } from '#lib/oauth/index.ts';
import type { Snippet } from './facts.ts';
import { js, quoted } from './quote.ts';

/** The package, a gateway that asks here, and Python, as in packages/verify/README.md and docs/protect-an-api.md. */
export function protectionOf(api: PublishedApi): Snippet[] {
  return [express(api), nginx(api), ...(api.accessTokenFormat === 'jwt' ? [python(api)] : [])];
}

function express({ resourceMetadata, accessTokenFormat, scopes }: PublishedApi): Snippet {
  const secret =
    accessTokenFormat === 'opaque' ? ', introspectionSecret: process.env.INTROSPECTION_SECRET' : '';
  const [scope] = scopes;
  const code = `import { gatehouse } from '@gatehouse-auth/verify/express';
import express from 'express';

const api = gatehouse({ api: ${js(resourceMetadata.here)}${secret} });
const orders = api.require(${scope ? `{ scope: ${js(scope.name)} }` : ''});
express()
  .get('/orders', orders, ({ caller }, response) => response.json({ sub: caller.sub }))
  .listen(8080);
`;
  return { label: 'Node: packages/verify with Express', framework: 'Node', code };
}

/** A caller's own headers of these names must not reach the API, so that each is set. */
const HEADERS = ['sub', 'client-id', 'scope', 'issuer', 'kind', 'act', 'claims', 'claims-omitted'];

function nginx({ id, resourceMetadata, scopes }: PublishedApi): Snippet {
  const [scope] = scopes;
  const query = scope ? `?scope=${encodeURIComponent(scope.name)}` : '';
  const address = resourceMetadata.here.replace(/\/\.well-known\/.*$/, `/verify/${id}${query}`);
  const given = HEADERS.map((name) => {
    const variable = name.replaceAll('-', '_');
    return `  auth_request_set $auth_${variable} $upstream_http_x_auth_${variable};
  proxy_set_header x-auth-${name} $auth_${variable};`;
  });
  const overTls = `
  proxy_ssl_server_name on;
  proxy_ssl_verify on;
  proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;`;
  const code = `location / {
  auth_request /_verify;
${given.join('\n')}
  proxy_pass http://YOUR_API;
}

location = /_verify {
  internal;
  proxy_pass ${address};
  proxy_pass_request_body off;
  proxy_set_header Content-Length "";
  proxy_set_header X-Forwarded-For $remote_addr;${address.startsWith('https:') ? overTls : ''}
}
`;
  return { label: 'nginx: forward auth', framework: 'nginx', code };
}

function python({ id, url, issuers, signingAlg }: PublishedApi): Snippet {
  const [first] = issuers;
  const origin = first ? first.issuer.slice(0, -`/auth/${first.method.id}/api/${id}`.length) : 'AUTH_URL';
  const code = `# protect.py of the guide, with the names of this API
AUTH_URL = ${quoted(origin)}
METHODS = [${issuers.map(({ method }) => quoted(method.id)).join(', ')}]
API_ID = ${quoted(id)}
API_URL = ${quoted(url)}
SIGNING_ALG = ${quoted(signingAlg)}
`;
  return { label: 'Python: PyJWT', framework: 'Python', code };
}
