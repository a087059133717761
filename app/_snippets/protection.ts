// Code for who runs an API: how it checks the tokens that its callers bring, with the API's addresses and names.
import type { PublishedApi } from '#lib/oauth/metadata.ts';
import { js, php as phpText, quoted, type Snippet } from './parts.ts';

/** Those that are not nginx are the examples of the READMEs of packages/verify and its neighbours, which tests run. */
export const protectionOf = (api: PublishedApi): Snippet[] => [
  express(api),
  nginx(api),
  python(api),
  go(api),
  php(api),
];

/** The address of a package that the service serves (delivery/packages.ts). */
const packageAt = (here: string, name: string) => new URL(`/packages/${name}`, here).href;

function express({ resourceMetadata, accessTokenFormat, scopes }: PublishedApi): Snippet {
  const secret =
    accessTokenFormat === 'opaque' ? ', introspectionSecret: process.env.INTROSPECTION_SECRET' : '';
  const [scope] = scopes;
  const code = `import { gatehouse } from 'gatehouse-verify/express';
import express from 'express';

const api = gatehouse({ api: ${js(resourceMetadata.here)}${secret} });
const orders = api.require(${scope ? `{ scope: ${js(scope.name)} }` : ''});
express()
  .get('/orders', orders, ({ caller }, response) => response.json({ sub: caller.sub }))
  .listen(8080);
`;
  const install = `npm install ${packageAt(resourceMetadata.here, 'gatehouse-verify.tgz')} express`;
  return { label: 'Node: gatehouse-verify with Express', framework: 'Node', code, install };
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
  const install = `curl -fO ${packageAt(resourceMetadata.here, 'gatehouse_verify.py')}`;
  return { label: 'Python: gatehouse_verify.py with FastAPI', framework: 'Python', code, install };
}

function go({ resourceMetadata, accessTokenFormat, scopes }: PublishedApi): Snippet {
  const isOpaque = accessTokenFormat === 'opaque';
  const secret = isOpaque ? ', gatehouse.IntrospectionSecret(os.Getenv("INTROSPECTION_SECRET"))' : '';
  const [scope] = scopes;
  const code = `package main

import (
	"encoding/json"
	"log"
	"net/http"${isOpaque ? '\n\t"os"' : ''}

	"example.com/orders/gatehouse"
)

func main() {
	api := gatehouse.New(${quoted(resourceMetadata.here)}${secret})
	orders := api.Require(${scope ? `gatehouse.Scope(${quoted(scope.name)})` : ''})
	http.Handle("/orders", orders(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"sub": gatehouse.CallerOf(r).Sub})
	})))
	log.Fatal(http.ListenAndServe(":8080", nil))
}
`;
  const file = packageAt(resourceMetadata.here, 'gatehouse.go');
  const install = `curl -f --create-dirs -o gatehouse/gatehouse.go ${file}`;
  return { label: 'Go: gatehouse.go with net/http', framework: 'Go', code, install };
}

function php({ resourceMetadata, accessTokenFormat, scopes }: PublishedApi): Snippet {
  const secret =
    accessTokenFormat === 'opaque' ? ", introspectionSecret: getenv('INTROSPECTION_SECRET')" : '';
  const [scope] = scopes;
  const code = `<?php
require 'gatehouse.php';

$api = new Gatehouse\\Api(${phpText(resourceMetadata.here)}${secret});
$caller = $api->require(${scope ? `scope: ${phpText(scope.name)}` : ''}); // otherwise the refusal is sent, and PHP ends here
echo json_encode(['sub' => $caller->sub]);
`;
  const install = `curl -fO ${packageAt(resourceMetadata.here, 'gatehouse.php')}`;
  return { label: 'PHP: gatehouse.php', framework: 'PHP', code, install };
}
