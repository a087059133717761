// The resource owner password grant (RFC 6749 §4.3), for trusted subscriptions and methods that check passwords. The
// scope asked for is ignored: the token always has the API's full scope (specification 4.6 rule 3), but for scopes that
// need more than a password. A person with a second factor gets the answer to a wrong password.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  accountName,
  haveTwoNames,
  networkOf,
  passwordLimits,
  underLimits,
} from '#lib/auth-methods/attempts.ts';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { refusalStep } from '#lib/auth-methods/local.ts';
import type { AuthMethod } from '#lib/auth-methods/method.ts';
import type { Params } from '#lib/http/params.ts';
import type { HashRequest } from '#lib/kit/password-hash.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import { tellOfAdoption } from '#lib/mail/send.ts';
import { countSignIn } from '#lib/observability/metrics.ts';
import { createFamily } from '#lib/store/hot/refresh-tokens.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import { recentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import { mintOpaque } from '#lib/tokens/access-token.ts';
import { mint } from '#lib/tokens/formats.ts';
import { personRefused, requireTrustOfUser, scopesOfPerson } from '../client.ts';
import {
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  TemporarilyUnavailable,
  UnauthorizedClient,
} from '../errors.ts';
import { followsOAuth21, levelOfApi, PASSWORD, policyOf, scopesAbove, tellsAcr } from '../rules.ts';
import {
  type Bound,
  binding,
  boundKeys,
  type GrantContext,
  type Granted,
  type GrantOf,
  keepsRefreshToken,
} from './grant.ts';

const UNAVAILABLE = 'The service that checks passwords is not answering. Try again in a moment.';
const MUST_CHANGE = 'The password must be changed first.';
const OWES_PASSWORD =
  'The password must be replaced first: sign in in a browser, where a page asks for a new one.';
const WRONG = 'Username or password is not right.';
const NOT_TRUSTED = 'The password grant needs an approved trusted subscription.';

type VerifyPassword = NonNullable<AuthMethod['verifyPassword']>;
type Verdict = Awaited<ReturnType<VerifyPassword>>;
type RightPassword = { method: SnapshotMethod; verdict: Extract<Verdict, { kind: 'identity' }> };

/**
 * A request that is answered again because the registry has changed has its password checked once, while its method
 * exists.
 */
const rightPasswords = new WeakMap<GrantContext['http'], RightPassword>();

/** Null: the method checks no passwords, the API keeps to OAuth 2.1, or a password is never enough for it. */
export const passwordGrant: GrantOf = ({ method, api }) => {
  if (followsOAuth21(api) || levelOfApi(api) > 1 || policyOf(api, method) === 'required') return null;
  const verify = authMethodOf(method).verifyPassword;
  return verify ? (params, context) => grant(params, context, verify) : null;
};

/** The scopes that a right password gives; the scope asked for is ignored. */
export function passwordScopes(
  asked: string | undefined,
  { issuer: { api }, client }: Pick<GrantContext, 'issuer' | 'client'>,
): string[] {
  // no sign-in happened here, so there is nothing that an ID token could tell
  if (asked?.split(' ').includes('openid'))
    throw new InvalidScope("The password grant gives no ID token: leave out the scope 'openid'.");
  requireTrustOfUser(api, client, NOT_TRUSTED);
  const tooHigh = scopesAbove(api, 1);
  return api.scopes.map((scope) => scope.name).filter((name) => !tooHigh.includes(name));
}

/** The family of a person whose password was right, without its tokens. */
export const passwordFamily = (
  context: Bound,
  { personId, personEpoch, scopes }: { personId: string; personEpoch: string; scopes: string[] },
) => ({
  ...binding(context),
  personId,
  personEpoch,
  methodEpoch: context.issuer.method.epoch,
  scopes,
  keepsStrength: tellsAcr(context.issuer.api),
});

/** Why the statement made none. */
export const noFamily = ({ subscription }: Pick<Bound, 'subscription'>) =>
  subscription.restricted ? personRefused() : new UnauthorizedClient(NOT_TRUSTED);

async function grant({ values }: Params, context: GrantContext, verify: VerifyPassword): Promise<Granted> {
  const { issuer, client } = context;
  const username = values.get('username')?.trim();
  const secret = values.get('password');
  if (!username) throw new InvalidRequest('username is missing.');
  if (secret === undefined) throw new InvalidRequest('password is missing.');
  const possible = passwordScopes(values.get('scope'), context);

  const typed = readTypedPassword(secret);
  const confidential = client.confidential ? client.clientId : null;
  const asking: HashRequest = {
    asker: 'stranger',
    from: confidential === null ? networkOf(context.ip) : `client ${confidential}`,
  };
  const limits = passwordLimits({
    account: accountName(issuer.method, username),
    address: context.ip,
    confidentialClientId: confidential,
    device: null,
    twoNames: haveTwoNames(issuer.method, await recentSnapshot()),
  });
  const { version, ...names } = binding(context);
  const earlier = rightPasswords.get(context.http);
  const step = refusalStep(issuer.method);
  const again = earlier && isDeepStrictEqual(earlier.method, issuer.method) ? earlier.verdict : null;
  const check = (password: TypedPassword) =>
    underLimits(
      limits,
      { ...names, reliedOn: { version, clientId: client.clientId } },
      async () => {
        step.begin();
        const checked = await verify(username, password, { ...asking, checked: step.begin, context: names });
        if (checked.kind !== 'identity') return checked;
        if (checked.adopted) tellOfAdoption(checked.adopted);
        if (checked.letIn === false || checked.hasFactor) {
          await step.refused();
          return { kind: checked.letIn === false ? 'not-let-in' : 'second-factor' } as const;
        }
        return checked.owesPassword ? ({ kind: 'owes-password' } as const) : checked;
      },
      (result) => ['refused', 'second-factor', 'not-let-in'].includes(result.kind),
      (result) => result.kind === 'identity',
    );
  const verdict = again ?? (typed === null ? ({ kind: 'refused' } as const) : await check(typed));
  const where = { apiId: issuer.api.id, authMethodId: issuer.method.id };
  const refuse = async (refused: Exclude<typeof verdict, { kind: 'identity' }>) => {
    const { kind: reason } = refused;
    countSignIn(where, reason === 'unavailable' ? reason : 'refused');
    const because = 'told' in refused && refused.told ? { because: refused.told } : {};
    const details = { grant_type: PASSWORD, reason, ...because };
    await recordRefusal({ ...names, event: 'sign_in.refused', details });
    if (reason === 'unavailable') return new TemporarilyUnavailable(UNAVAILABLE);
    if (reason === 'must-change') return new InvalidGrant(MUST_CHANGE);
    if (reason === 'owes-password') return new InvalidGrant(OWES_PASSWORD);
    return new InvalidGrant(WRONG, { counted: typed !== null });
  };
  if (verdict.kind !== 'identity') throw await refuse(verdict);
  rightPasswords.set(context.http, { method: issuer.method, verdict });

  const scopes = await scopesOfPerson(issuer, verdict.personId, possible);
  if (scopes === null) throw personRefused();
  const keepsRefresh = keepsRefreshToken(context);
  const refresh = mint(keepsRefresh ? 'keptRefresh' : 'refresh');
  const opaque = mintOpaque(issuer.api);
  const familyId = randomUUID();
  const created = await createFamily({
    ...passwordFamily(context, { ...verdict, scopes }),
    familyId,
    refreshHash: refresh.hash,
    keepsRefresh,
    opaqueHash: opaque?.hash ?? null,
    ...boundKeys(context),
    attempts: again ? [] : limits.map((limit) => limit.key),
  });
  if (created === 'has-factor') {
    await step.refused();
    throw await refuse({ kind: 'second-factor' });
  }
  countSignIn(where, 'succeeded');
  if (!created) throw noFamily(context);
  return {
    familyId,
    personId: verdict.personId,
    scopes,
    authTime: created.authTime,
    acrLevel: null,
    amr: ['pwd'],
    refreshToken: refresh.value,
    opaqueToken: opaque?.value ?? null,
    openid: null,
  };
}
