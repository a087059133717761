// The broker of a method as openid-client's configuration: discovered (OpenID Connect) or built from our own
// configuration (plain OAuth 2.0). Metadata and keys are kept for an hour; an unknown `kid` fetches the keys again, at
// most once a minute.
import { createHmac } from 'node:crypto';
import {
  compactVerify,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  importPKCS8,
  type JWTVerifyGetKey,
  customFetch as joseFetch,
  SignJWT,
} from 'jose';
import * as client from 'openid-client';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { outboundFetch, withBreaker } from '#lib/outbound/fetch.ts';
import { ASYMMETRIC_ALGS } from '#lib/registry/keys.ts';
import {
  basicCredentials,
  ISSUER_TEMPLATE,
  isPrivateKey,
  isTemplated,
  signedSecretOf,
  signingKeyPem,
  tokenAuthOf,
} from '#lib/registry/methods/broker/tenants.ts';
import type { MethodConfig } from '#lib/registry/methods/kind.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { withHonestErrors } from './broker-failure.ts';
import { sendsProof } from './person-claims.ts';

// A client secret that is signed for each call, as Apple asks for it: a JWT for ten minutes.

const AUDIENCE = 'https://appleid.apple.com';
const SECONDS = 600;

/** What is sent as the client secret: the secret itself, or what it signs. */
export async function secretToSend(config: MethodConfig, secret: string): Promise<string> {
  const signed = signedSecretOf(config);
  if (signed === null) {
    if (isPrivateKey(secret)) throw new Error('the secret is a private key, which is never sent');
    return secret;
  }
  const pem = signingKeyPem(secret);
  if (pem === null) throw new Error('the secret is no key that signs: give the private key again');
  const issuedAt = Math.floor(now().getTime() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: signed.key_id })
    .setIssuer(signed.team_id)
    .setSubject(String(config['client_id']))
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + SECONDS)
    .sign(await importPKCS8(pem, 'ES256'));
}

/** Accepted signatures of ID tokens. */
export const ID_TOKEN_ALGORITHMS: string[] = [...ASYMMETRIC_ALGS];
const FRESH_MS = 3_600_000;
const KEY_COOL_DOWN_MS = 60_000;
/** longer than the limit of outboundFetch, which reports the timeout */
const LIBRARY_TIMEOUT_MS = 30_000;

const shared = {
  client_id: z.string(),
  scopes: z.array(z.string()).optional(),
  timeout_ms: z.number().optional(),
  allow_private_network: z.boolean().default(false),
  token_endpoint_auth_method: z.enum(['client_secret_basic', 'client_secret_post']).optional(),
  answer: z.enum(['form_post']).optional(),
  authorization_parameters: z.record(z.string(), z.string()).default({}),
  pkce: z.boolean().default(true),
};
const openIdConnect = z.object({
  ...shared,
  issuer: z.string(),
  subject_claim: z.string().default('sub'),
  nonce: z.boolean().default(true),
});
const plainOAuth = z.object({
  ...shared,
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string(),
  subject_claim: z.string(),
  answer_issuer: z.string().optional(),
  emails_endpoint: z.string().optional(),
});
type BrokerConfig = z.output<typeof openIdConnect> | z.output<typeof plainOAuth>;

export type Broker = {
  config: client.Configuration;
  scope: string;
  /** of its ID tokens; null: plain OAuth 2.0 */
  keys: JWTVerifyGetKey | null;
  /** what names the person in the ID token, or with plain OAuth 2.0 in the userinfo answer */
  subjectClaim: string;
  /** plain OAuth 2.0: where the person's e-mail addresses are listed; null: nowhere */
  emailsAddress: string | null;
  sendsNonce: boolean;
  sendsChallenge: boolean;
  /** what people are sent there with, beside what a sign-in sends */
  parameters: Readonly<Record<string, string>>;
  /** with which an access token is sent to it (`appsecret_proof`); null: a token is enough */
  proof: ((accessToken: string) => string) | null;
  /** how it hands the code back (OAuth 2.0 Form Post Response Mode); null: by its default, in the query */
  responseMode: 'form_post' | null;
};

export const breakerOf = ({ id }: SnapshotMethod): string => `broker ${id}`;

type Known = { print: string; until: number; broker: Promise<Broker> };
const known = new Map<string, Known>();

/** Rejects if the broker cannot be reached or its metadata is invalid. */
export function openBroker(method: SnapshotMethod): Promise<Broker> {
  const print = JSON.stringify([method.config, method.sealedSecret]);
  const found = known.get(method.id);
  if (found && found.print === print && found.until > now().getTime()) return found.broker;
  const broker = build(method);
  const entry = { print, until: now().getTime() + FRESH_MS, broker };
  known.set(method.id, entry);
  // failures are not kept: the next sign-in tries again, within the limits of the breaker
  broker.catch(() => {
    if (known.get(method.id) === entry) known.delete(method.id);
  });
  return broker;
}

async function build(method: SnapshotMethod): Promise<Broker> {
  const values = configOf(method);
  const secret = secretOf(method);
  const out = outboundFetch({
    allowPrivateNetwork: values.allow_private_network,
    timeoutMs: values.timeout_ms,
  });
  // around each call, so that nothing else counts: what is done without one says nothing of the broker
  const call = withHonestErrors((...request) => withBreaker(breakerOf(method), () => out(...request)));
  const send = call as client.CustomFetch;
  const authenticate = secret === null ? client.None() : authentication(method.config, secret);
  const config =
    'issuer' in values
      ? await discover(method, values, send, authenticate)
      : new client.Configuration(described(values), values.client_id, undefined, authenticate);
  config[client.customFetch] = send;
  if (values.allow_private_network) client.allowInsecureRequests(config);
  const asked = {
    ...{ config, subjectClaim: values.subject_claim, responseMode: values.answer ?? null },
    ...{ sendsChallenge: values.pkce, parameters: values.authorization_parameters },
    proof: secret !== null && sendsProof(method) ? proofBy(secret) : null,
  };
  if (!('issuer' in values)) {
    const scope = (values.scopes ?? []).join(' ');
    return { ...asked, scope, keys: null, sendsNonce: false, emailsAddress: values.emails_endpoint ?? null };
  }
  // otherwise the library does not verify signatures of ID tokens that come from the token endpoint
  client.enableNonRepudiationChecks(config);
  const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''), {
    [joseFetch]: call,
    cacheMaxAge: FRESH_MS,
    cooldownDuration: KEY_COOL_DOWN_MS,
    timeoutDuration: LIBRARY_TIMEOUT_MS,
  });
  const scopes = new Set(['openid', ...(values.scopes ?? ['email', 'profile'])]);
  return { ...asked, scope: [...scopes].join(' '), keys, sendsNonce: values.nonce, emailsAddress: null };
}

/** https://developers.facebook.com/docs/graph-api/guides/secure-requests */
const proofBy = (secret: string) => (accessToken: string) =>
  createHmac('sha256', secret).update(accessToken).digest('hex');

async function discover(
  { config }: SnapshotMethod,
  { issuer, client_id, allow_private_network }: z.output<typeof openIdConnect>,
  call: client.CustomFetch,
  authenticate: client.ClientAuth,
): Promise<client.Configuration> {
  const discovered = await client.discovery(new URL(issuer), client_id, undefined, authenticate, {
    [client.customFetch]: call,
    execute: allow_private_network ? [client.allowInsecureRequests] : [],
  });
  const { supportsPKCE, ...metadata } = discovered.serverMetadata();
  // the library's own compares the issuer of a token with that of its tenant
  if (isTemplated(config) && metadata.issuer === ISSUER_TEMPLATE) return discovered;
  const offered = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  const accepted = offered.filter((alg) => ID_TOKEN_ALGORITHMS.includes(alg));
  return new client.Configuration(
    { ...metadata, id_token_signing_alg_values_supported: accepted },
    client_id,
    undefined,
    authenticate,
  );
}

/**
 * Plain OAuth 2.0 has no metadata. An `iss` that is sent (RFC 9207) must be the one that the method names, or else the
 * origin of the token endpoint: one that nothing is compared with would let another broker's answer pass.
 */
function described(values: z.output<typeof plainOAuth>): client.ServerMetadata {
  const { authorization_endpoint, token_endpoint, userinfo_endpoint } = values;
  const issuer = values.answer_issuer ?? new URL(token_endpoint).origin;
  return { issuer, authorization_endpoint, token_endpoint, userinfo_endpoint };
}

function authentication(config: MethodConfig, secret: string): client.ClientAuth {
  return async (metadata, client, body, headers) => {
    const offered = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const sent = await secretToSend(config, secret);
    if (tokenAuthOf(config, offered) !== 'client_secret_basic')
      return postSecret(sent)(metadata, client, body, headers);
    // the library encodes `-`, `.` and `_` too, and a broker that compares the raw text then refuses every GUID
    headers.set('authorization', basicCredentials(client.client_id, sent));
  };
}
const postSecret = client.ClientSecretPost;

function configOf(method: SnapshotMethod): BrokerConfig {
  return 'issuer' in method.config ? openIdConnect.parse(method.config) : plainOAuth.parse(method.config);
}

function secretOf({ id, sealedSecret }: SnapshotMethod): string | null {
  if (sealedSecret === null) return null;
  const secret = openFromRow('auth_methods', id, sealedSecret);
  if (secret === null) throw new Error(`the secret of ${id} was sealed with another GATEHOUSE_SECRET`);
  return secret;
}

// An ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant) that is said to be the broker's: is it signed by one of
// the broker's keys, under the broker's own name?

export type IdJagProof = 'proved' | 'jag-issuer' | 'jag-key' | 'jag-signature';

/** Rejects where the keys cannot be fetched. */
export async function proveSignature({ config, keys }: Broker, assertion: string): Promise<IdJagProof> {
  if (keys === null || decodeJwt(assertion).iss !== config.serverMetadata().issuer) return 'jag-issuer';
  const options = { algorithms: ID_TOKEN_ALGORITHMS };
  try {
    await compactVerify(assertion, keys, options);
    return 'proved';
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'jag-key';
    if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWSInvalid)
      return 'jag-signature';
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const good = await compactVerify(assertion, key, options).then(
        () => true,
        () => false,
      );
      if (good) return 'proved';
    }
    return 'jag-signature';
  }
}
