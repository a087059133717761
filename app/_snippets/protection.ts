// Code for who runs an API: how it checks the tokens that its callers bring, with the API's addresses and names.
import type { PublishedApi } from '#lib/oauth/index.ts';
import type { Snippet } from './facts.ts';
import { js, quoted } from './quote.ts';

/** Each is the example of packages/verify/README.md, or of docs/protect-an-api.md, which tests run. */
export function protectionOf(api: PublishedApi): Snippet[] {
  return [express(api), ...(api.accessTokenFormat === 'jwt' ? [python(api)] : [])];
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
