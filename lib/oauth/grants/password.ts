// The resource owner password grant (RFC 6749 §4.3), for trusted subscriptions and methods that check passwords. The scope
// asked for is ignored: the token always has the API's full scope (specification 4.6 rule 3).
import { randomUUID } from 'node:crypto';
import {
  type AuthMethod,
  accountName,
  authMethodOf,
  passwordLimits,
  underLimits,
} from '#lib/auth-methods/index.ts';
import type { Params } from '#lib/http/index.ts';
import { countSignIn } from '#lib/observability/index.ts';
import { createFamily, recordRefusal } from '#lib/store/index.ts';
import { mint, mintOpaque, slotOf } from '#lib/tokens/index.ts';
import { requireTrust } from '../client.ts';
import {
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  TemporarilyUnavailable,
  UnauthorizedClient,
} from '../errors.ts';
import { followsOAuth21 } from '../profile.ts';
import { binding, type GrantContext, type Granted, type GrantOf } from './grant.ts';

const UNAVAILABLE = 'The service that checks passwords is not answering. Try again in a moment.';
const NOT_TRUSTED = 'The password grant needs an approved trusted subscription.';

type VerifyPassword = NonNullable<AuthMethod['verifyPassword']>;

/** Null: the method checks no passwords, or the API keeps to OAuth 2.1. */
export const passwordGrant: GrantOf = ({ method, api }) => {
  if (followsOAuth21(api)) return null;
  const verify = authMethodOf(method).verifyPassword;
  return verify ? (params, context) => grant(params, context, verify) : null;
};

async function grant({ values }: Params, context: GrantContext, verify: VerifyPassword): Promise<Granted> {
  const { issuer, client } = context;
  const username = values.get('username')?.trim();
  const secret = values.get('password');
  if (!username) throw new InvalidRequest('username is missing.');
  if (secret === undefined) throw new InvalidRequest('password is missing.');
  // nobody is sent here to sign in, so there is nothing that an ID token could tell
  if (values.get('scope')?.split(' ').includes('openid'))
    throw new InvalidScope("The password grant gives no ID token: leave out the scope 'openid'.");
  requireTrust(issuer.api, client, NOT_TRUSTED);

  const limits = passwordLimits({
    account: accountName(issuer.method, username),
    address: context.ip,
    confidentialClientId: client.confidential ? client.clientId : null,
    device: null,
  });
  const { version, ...names } = binding(context);
  const verdict = await underLimits(
    limits,
    { ...names, reliedOn: { version, clientId: client.clientId } },
    () => verify(username, secret),
    (result) => result.kind === 'refused',
    (result) => result.kind === 'identity',
  );
  const where = { apiId: issuer.api.id, authMethodId: issuer.method.id };
  countSignIn(where, verdict.kind === 'identity' ? 'succeeded' : verdict.kind);
  if (verdict.kind !== 'identity') {
    const details = { grant_type: 'password', reason: verdict.kind };
    await recordRefusal({ ...names, event: 'sign_in.refused', details });
    if (verdict.kind === 'unavailable') throw new TemporarilyUnavailable(UNAVAILABLE);
    throw new InvalidGrant('Username or password is not right.', { counted: true });
  }

  const slot = slotOf(verdict.personId);
  const refresh = mint('refresh', slot);
  const opaque = mintOpaque(issuer.api, slot);
  const familyId = randomUUID();
  const scopes = issuer.api.scopes.map((scope) => scope.name);
  const created = await createFamily({
    ...binding(context),
    familyId,
    personId: verdict.personId,
    personEpoch: verdict.personEpoch,
    methodEpoch: issuer.method.epoch,
    scopes,
    refreshHash: refresh.hash,
    opaqueHash: opaque?.hash ?? null,
    attempts: limits.map((limit) => limit.key),
  });
  if (!created) throw new UnauthorizedClient(NOT_TRUSTED);
  return {
    familyId,
    personId: verdict.personId,
    scopes,
    authTime: created.authTime,
    refreshToken: refresh.value,
    opaqueToken: opaque?.value ?? null,
    scopeAsAsked: false,
    openid: null,
  };
}
