// The JWT bearer grant (RFC 7523 §2.1) with an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant §4.4): the
// method's broker asserts a user and a client, without a page. It requires a confidential client with an approved
// machine subscription. It issues no refresh token, so the client must ask the broker again.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import type { AuthMethod } from '#lib/auth-methods/method.ts';
import { BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import type { Params } from '#lib/http/params.ts';
import { countSignIn } from '#lib/observability/metrics.ts';
import { requiredOf } from '#lib/openapi/document.ts';
import { createAssertedFamily } from '#lib/store/hot/refresh-tokens.ts';
import { mintOpaque } from '#lib/tokens/access-token.ts';
import { type IdJagClaims, readIdJag } from '#lib/tokens/id-jag.ts';
import { isFirstUse, personRefused, requireProvedClient, scopeCeiling, scopesOfPerson } from '../client.ts';
import {
  type DeclaredError,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  type RefusalReason,
  refuses,
  TemporarilyUnavailable,
  UnauthorizedClient,
} from '../errors.ts';
import { JWT_BEARER, levelOfApi, namesApi, scopesAbove, strictnessOf } from '../rules.ts';
import { binding, boundKeys, type GrantContext, type Granted, type GrantOf } from './grant.ts';

const NO_MACHINE = 'This grant requires an approved subscription with machine: true.';

type IdJags = NonNullable<AuthMethod['idJags']>;

/**
 * Null if the method is not an OpenID Connect broker, or for the management API, whose tokens require a sign-in at
 * Gatehouse.
 */
export const idJagGrant: GrantOf = ({ method, api }) => {
  const { idJags } = authMethodOf(method);
  return idJags && api.id !== BUILT_IN_API ? (params, context) => grant(params, context, idJags) : null;
};

async function grant({ values }: Params, context: GrantContext, idJags: IdJags): Promise<Granted> {
  const { issuer, client } = context;
  const assertion = values.get('assertion');
  if (assertion === undefined) throw new InvalidRequest('assertion is missing.');
  requireProvedClient(client, 'This grant requires a confidential client.', 'jag-public-client');
  if (!context.subscription.machine) throw new UnauthorizedClient(NO_MACHINE, { reason: 'not-machine' });

  const expected = { issuer: idJags.issuer, audience: issuer.url, clientId: client.clientId };
  const read = readIdJag(assertion, expected);
  if (read.fault !== null) throw assertionRefused(read.fault);
  const { claims } = read;
  const strictness = strictnessOf(issuer.api, issuer.method);
  if (levelOfApi(issuer.api) > 1 || strictness === 2) throw tooWeak();
  requireResource(claims, context);
  const possible = scopesOf(values.get('scope'), claims, context);
  const person = await personOf(assertion, claims, context, idJags);
  const scopes = await scopesOfPerson(issuer, person.personId, possible);
  if (scopes === null) throw personRefused();

  const opaque = mintOpaque(issuer.api);
  const familyId = randomUUID();
  const authTime = new Date((claims.authTime ?? claims.issuedAt) * 1000);
  const expiresAt = await createAssertedFamily({
    ...binding(context),
    familyId,
    ...person,
    methodEpoch: issuer.method.epoch,
    scopes,
    authTime,
    opaqueHash: opaque?.hash ?? null,
    jkt: boundKeys(context).jkt,
    grantType: JWT_BEARER,
    asksFactor: strictness === 1,
  });
  if (expiresAt === 'has-factor') throw tooWeak();
  if (expiresAt === null)
    throw context.subscription.restricted ? personRefused() : new UnauthorizedClient(NO_MACHINE);
  return {
    familyId,
    personId: person.personId,
    scopes,
    authTime,
    acrLevel: null,
    amr: null,
    refreshToken: null,
    opaqueToken: opaque?.value ?? null,
    openid: null,
    expiresAt,
  };
}

/** Error without details, because the client neither created the assertion nor can fix it. */
function assertionRefused(reason: RefusalReason): InvalidGrant {
  return new InvalidGrant('The assertion is not accepted, or was already used.', { reason });
}

/** Error if a second factor is required: a broker asserts its own sign-in, never a second factor of Gatehouse. */
function tooWeak(): InvalidGrant {
  return new InvalidGrant(
    'The API requires a stronger sign-in than an assertion. Send the person through the browser.',
    {
      reason: 'acr-too-low',
    },
  );
}

/** Requires that the named resources, if any, include the API (RFC 8707 §2). */
function requireResource({ resources }: IdJagClaims, { issuer }: GrantContext): void {
  if (resources === null || resources.some((resource) => namesApi(issuer.api.url, resource))) return;
  throw new InvalidTarget('The assertion is for another resource.', { reason: 'jag-resource' });
}

/** Returns the scopes that assertion, subscription and request have in common. A missing scope imposes no limit. */
function scopesOf(
  requestedScope: string | undefined,
  claims: IdJagClaims,
  { issuer, subscription }: GrantContext,
): string[] {
  const limits = [claims.scopes, requestedScope?.split(' ') ?? null];
  const tooHigh = scopesAbove(issuer.api, 1);
  const scopes = scopeCeiling(issuer.api, subscription).filter(
    (name) => !tooHigh.includes(name) && limits.every((limit) => limit === null || limit.includes(name)),
  );
  if (scopes.length > 0) return scopes;
  const description = 'None of the scopes of the assertion is both requested and allowed.';
  throw new InvalidScope(description, { reason: 'jag-scope' });
}

async function personOf(
  assertion: string,
  claims: IdJagClaims,
  { issuer, http }: GrantContext,
  { prove, personOf: findPerson }: IdJags,
): Promise<{ personId: string; personEpoch: string }> {
  const where = { apiId: issuer.api.id, authMethodId: issuer.method.id };
  const proof = await prove(assertion);
  if (proof === 'unavailable') {
    countSignIn(where, 'unavailable');
    throw new TemporarilyUnavailable('The keys of the broker cannot be fetched. Try again in a moment.');
  }
  if (proof !== 'proved') throw assertionRefused(proof);
  if (!(await isFirstUse(http, claims))) throw assertionRefused('jag-used');
  const person = await findPerson(claims);
  countSignIn(where, person ? 'succeeded' : 'refused');
  if (!person) throw assertionRefused('jag-person');
  return person;
}

// Parameters and errors of the token endpoint for an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant §4.4).

export const idJagBody = {
  assertion: requiredOf(
    z.string(),
    JWT_BEARER,
    'An ID-JAG that the broker of the method signed for this issuer and this client. It works once, within ten minutes of its `iat`.',
  ),
};

export const idJagErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, [
    'An ID-JAG from a public client, or without an approved subscription with `machine: true`.',
  ]),
  ...refuses(InvalidGrant, [
    'The ID-JAG is not accepted: its type, algorithm, issuer, audience, client, times or signature are wrong, it was already used, or the person is not allowed to sign in. The page of the client in the console shows the reason.',
  ]),
  ...refuses(InvalidTarget, ['The `resource` of the ID-JAG is not the API.']),
  ...refuses(InvalidScope, [
    'No scope is in the ID-JAG, in the request and in the subscription at the same time.',
  ]),
  ...refuses(TemporarilyUnavailable, ['The keys of the broker that signed the ID-JAG cannot be fetched.']),
];
