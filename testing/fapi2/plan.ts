// The configuration of the OpenID conformance suite for its FAPI 2.0 plan, and a registry file of this service that
// fits it: two clients with keys that are made now.
import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** Part of the suite's callback URLs. */
export const ALIAS = 'gatehouse';
/** Query in the redirect URI of the second client. */
const QUERY = '?dummy1=lorem&dummy2=ipsum';
const METHOD = 'bank';
const API = 'accounts';

type PlanClient = { client_id: string; scope: string; dpop_signing_alg: string; jwks: { keys: JWK[] } };
export type Plan = {
  alias: string;
  description: string;
  server: { discoveryUrl: string };
  client: PlanClient;
  client2: PlanClient;
  resource: { resourceUrl: string };
};

const PRIVATE = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi']);
const publicHalf = (jwk: JWK) =>
  Object.fromEntries(Object.entries(jwk).filter(([name]) => !PRIVATE.has(name)));

async function clientOf(clientId: string, alg: string): Promise<PlanClient> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: `${clientId}-1`, alg, use: 'sig' };
  return {
    client_id: clientId,
    scope: 'openid profile email accounts',
    dpop_signing_alg: alg,
    jwks: { keys: [key] },
  };
}

/**
 * Creates the plan. `service`: BASE_URL; `suite`: base URL of the suite's callbacks. Both are without a
 * trailing slash.
 */
export async function makePlan({ service, suite }: { service: string; suite: string }) {
  const issuer = `${service}/auth/${METHOD}/api/${API}`;
  const [client, client2] = await Promise.all([clientOf('suite-1', 'PS256'), clientOf('suite-2', 'ES256')]);
  const plan: Plan = {
    alias: ALIAS,
    description: 'Gatehouse: FAPI 2.0 Security Profile, private_key_jwt and DPoP',
    server: { discoveryUrl: `${issuer}/.well-known/openid-configuration` },
    client,
    client2,
    resource: { resourceUrl: `${issuer}/userinfo` },
  };
  const callback = `${suite}/test/a/${ALIAS}/callback`;
  const person = {
    email: 'person@example.com',
    name: 'Pat Person',
    password: randomBytes(12).toString('base64url'),
  };
  const registry = {
    auth_methods: [{ id: METHOD, type: 'local', name: 'Bank' }],
    apis: [
      {
        id: API,
        name: 'Accounts',
        url: 'https://api.example/accounts',
        profile: 'fapi-2.0',
        auth_methods: [METHOD],
        scopes: [{ name: 'accounts', description: 'See your accounts' }],
      },
    ],
    clients: [client, client2].map(({ client_id, jwks }) => ({
      client_id,
      client_name: client_id,
      confidential: true,
      redirect_uris: [callback, `${callback}${QUERY}`],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: jwks.keys.map(publicHalf) },
    })),
    subscriptions: [client, client2].map(({ client_id }) => ({ client_id, api: API })),
    users: [person],
  };
  return { plan, registry, person };
}
