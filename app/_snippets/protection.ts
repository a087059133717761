// Code for who runs an API: how it checks the tokens that its callers bring, with the API's addresses and names.
import type { PublishedApi } from '#lib/oauth/index.ts';
import type { Snippet } from './facts.ts';
import { js, quoted } from './quote.ts';

/** Each is the example of the README of packages/verify or packages/verify-python, which tests run. */
export const protectionOf = (api: PublishedApi): Snippet[] => [express(api), python(api)];

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

function python({ resourceMetadata, accessTokenFormat, scopes }: PublishedApi): Snippet {
  const isOpaque = accessTokenFormat === 'opaque';
  const secret = isOpaque ? ', introspection_secret=os.environ["INTROSPECTION_SECRET"]' : '';
  const [scope] = scopes;
  const code = `${isOpaque ? 'import os\n\n' : ''}from fastapi import Depends, FastAPI

from gatehouse_verify import Caller, Gatehouse

api = Gatehouse(${quoted(resourceMetadata.here)}${secret})
orders = api.require(${scope ? `scope=${quoted(scope.name)}` : ''})
app = FastAPI()


@app.get("/orders")
def get_orders(caller: Caller = Depends(orders.fastapi())):
    return {"sub": caller.sub}
`;
  return { label: 'Python: packages/verify-python with FastAPI', framework: 'Python', code };
}
