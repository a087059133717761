// Tests access tokens with unmodified third-party libraries (RFC 9068 §4): each accepts a valid token and rejects
// invalid ones.
import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import http, { type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { JwtVerifier } from 'aws-jwt-verify';
import { auth } from 'express-oauth2-jwt-bearer';
import { createRemoteJWKSet, generateKeyPair, type JWK, jwtVerify } from 'jose';
import {
  allowInsecureRequests,
  discoveryRequest,
  processDiscoveryResponse,
  validateJwtAccessToken,
} from 'oauth4webapi';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { listen } from '#testing/net/listen.ts';
import { hasApacheClient, newFolder, startApache } from '#testing/net/proxies.ts';
import { bearer, forged, tokenAt } from '../../support/clients/resource-server.ts';
import {
  clearAddressAttempts,
  makeApi,
  makeClient,
  makePerson,
  sql,
} from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { hasPython, PYTHON } from '../../support/service/python.ts';

type Asked = http.IncomingMessage;
type Answering = http.ServerResponse;
/** Loaded with `require`, because the package has no types. */
const express = createRequire(import.meta.url)('express') as () => RequestListener & {
  use(handler: unknown): void;
};

let audience: string;
let issuer: string;
let tokens: { good: string; bad: Record<string, string> };
const jwks = () => `${issuer}/jwks`;

test.beforeAll(async () => {
  await clearAddressAttempts();
  const [api, other] = [await makeApi({ signing_alg: 'RS256' }), await makeApi({ signing_alg: 'RS256' })];
  const client = await makeClient({ trusted: true, apis: [api.id, other.id] });
  const [row] = await sql<{ url: string }>('select url from apis where id = $1', [api.id]);
  audience = row?.url ?? '';
  issuer = issuerOf(door, 'pw', api.id);
  const good = await tokenAt('pw', await makePerson(), api.id, client);
  const { privateKey } = await generateKeyPair('RS256');
  tokens = {
    good,
    bad: {
      'of another API': await tokenAt('pw', await makePerson(), other.id, client),
      'with another signature': await forged(good, {}, privateKey),
      'without a signature': await forged(good, { alg: 'none' }),
      'that is cut': good.slice(0, -4),
    },
  };
});

type Takes = (token: string) => Promise<boolean>;
/** `start` returns the check and a stop function. */
type Verifier = {
  name: string;
  lacks?: () => boolean;
  start: () => Promise<{ takes: Takes; stop?: () => Promise<void> }>;
};

const resolves = (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false,
  );

/** Starts a server that returns 200 for a valid token, otherwise 401. */
async function served(listener: RequestListener) {
  const { url, close } = await listen(http.createServer(listener));
  return { takes: (token: string) => answers200(url, token), stop: close };
}

async function answers200(url: string, token: string): Promise<boolean> {
  const { status } = await send(url, { headers: bearer(token) });
  expect([200, 401]).toContain(status);
  return status === 200;
}

/** A program that exits with status 0 for a valid token. */
const python =
  (program: string): Verifier['start'] =>
  async () => ({
    takes: async (token) => {
      const said = execFileSync(PYTHON, ['-c', program, token, jwks(), issuer, audience], {
        encoding: 'utf8',
      });
      return said.trim() === 'taken';
    },
  });

const VERIFIERS: Verifier[] = [
  {
    name: 'jose',
    start: async () => {
      const keys = createRemoteJWKSet(new URL(jwks()));
      return { takes: (token) => resolves(jwtVerify(token, keys, { issuer, audience, typ: 'at+jwt' })) };
    },
  },
  {
    name: 'oauth4webapi',
    start: async () => {
      const options = { [allowInsecureRequests]: true, algorithm: 'oauth2' } as const;
      const about = new URL(issuer);
      const server = await processDiscoveryResponse(about, await discoveryRequest(about, options));
      const request = (token: string) => new Request(audience, { headers: bearer(token) });
      return {
        takes: (token) => resolves(validateJwtAccessToken(server, request(token), audience, options)),
      };
    },
  },
  {
    name: 'express-oauth2-jwt-bearer, strict',
    start: async () => {
      const application = express();
      application.use(auth({ issuer, audience, jwksUri: jwks(), tokenSigningAlg: 'RS256', strict: true }));
      application.use((_request: Asked, response: Answering) => void response.end('taken'));
      // Express recognizes an error handler by its four arguments
      application.use((_error: Error, _request: Asked, response: Answering, _next: () => void) => {
        response.statusCode = 401;
        response.end();
      });
      return served(application);
    },
  },
  {
    name: 'aws-jwt-verify',
    start: async () => {
      const verifier = JwtVerifier.create({ issuer, audience, jwksUri: jwks() });
      // this library fetches keys only over https, so the test loads them
      const { text } = await send(jwks());
      verifier.cacheJwks(JSON.parse(text) as Parameters<typeof verifier.cacheJwks>[0]);
      return { takes: (token) => resolves(verifier.verify(token)) };
    },
  },
  {
    name: 'PyJWT',
    lacks: () => !hasPython('jwt, cryptography'),
    start: python(`
import sys, jwt
token, keys, issuer, audience = sys.argv[1:]
try:
    key = jwt.PyJWKClient(keys).get_signing_key_from_jwt(token).key
    jwt.decode(token, key, algorithms=["RS256"], issuer=issuer, audience=audience, options={"require": ["exp", "iat", "sub", "client_id", "jti"]})
    print("taken")
except jwt.PyJWTError:
    print("refused")
`),
  },
  {
    name: 'Authlib',
    lacks: () => !hasPython('authlib, requests, cryptography'),
    start: python(`
import sys, requests
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.jose.errors import JoseError
token, keys, issuer, audience = sys.argv[1:]
needed = {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": audience}, "exp": {"essential": True}}
try:
    found = JsonWebKey.import_key_set(requests.get(keys).json())
    JsonWebToken(["RS256"]).decode(token, found, claims_options=needed).validate()
    print("taken")
except (JoseError, ValueError):
    print("refused")
`),
  },
  {
    name: 'mod_auth_openidc',
    lacks: () => !hasApacheClient(),
    start: async () => {
      const [port, folder] = [await freePort(), newFolder()];
      // this library fetches keys only over https, so the test loads them
      const keys = JSON.parse((await send(jwks())).text) as { keys: (JWK & { kid: string })[] };
      const files = keys.keys
        .filter(({ alg }) => alg === 'RS256')
        .map((key, n) => {
          const file = path.join(folder, `key-${n}.pem`);
          writeFileSync(
            file,
            createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }),
          );
          return `${key.kid}#${file}`;
        });
      const { stop } = await startApache(
        folder,
        port,
        `DocumentRoot ${path.resolve('public')}
OIDCOAuthVerifyCertFiles ${files.join(' ')}
OIDCOAuthRemoteUserClaim sub
OIDCCryptoPassphrase ${'x'.repeat(32)}
<Location />
  AuthType oauth20
  Require claim aud:${audience}
  Require claim iss:${issuer}
</Location>`,
      );
      return { takes: (token) => answers200(`http://127.0.0.1:${port}/copy.js`, token), stop };
    },
  },
];

for (const { name, lacks, start } of VERIFIERS)
  test(`RFC 9068: ${name} accepts Gatehouse’s access token, and no other`, async () => {
    test.skip(lacks?.() ?? false, `${name} is not installed`);
    const { takes, stop } = await start();
    try {
      expect(await takes(tokens.good)).toBe(true);
      for (const [what, token] of Object.entries(tokens.bad)) expect(await takes(token), what).toBe(false);
    } finally {
      await stop?.();
    }
  });
