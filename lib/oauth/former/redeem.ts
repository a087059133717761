// A refresh token of the service that people and clients came from gives a family here, once: a code of ours, as if the
// person had come by the browser, redeemed at once. So all that is asked of a sign-in is asked: what the person has
// allowed, what the API demands, who may use the client.
import { TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { type Params, parseForm } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { OPENID_SCOPE_NAMES } from '#lib/registry/objects/openid-scopes.ts';
import { settings } from '#lib/settings/settings.ts';
import { database } from '#lib/store/database/prisma.ts';
import {
  forgetAsked,
  markAsked,
  restoreFormerToken,
  spendFormerToken,
} from '#lib/store/former/former-tokens.ts';
import { findPersonAtMethod } from '#lib/store/people/person-at-method.ts';
import { RegistryChanged } from '#lib/store/registry/snapshot.ts';
import { findPersonBySub } from '#lib/store/sign-in/kept-subjects.ts';
import { authorize } from '#lib/store/tokens/authorize.ts';
import { hashRefresh, mint } from '#lib/tokens/formats.ts';
import { forPerson } from '../authorize-request/for-person.ts';
import { identify, validate } from '../authorize-request/request.ts';
import { secondFactorStep, strengthAsked } from '../authorize-request/second-factor.ts';
import { scopeCeiling } from '../clients/client.ts';
import { InvalidGrant, OAuthError, TemporarilyUnavailable } from '../errors/errors.ts';
import { redeemAuthorizationCode } from '../grants/authorization-code.ts';
import { binding, type GrantContext, type Granted } from '../grants/grant.ts';
import { formerAddress } from '../rules/issuer.ts';
import { challengeOf } from '../rules/pkce.ts';
import { askFormer } from './ask.ts';

const REFUSED = 'The refresh token is unknown, expired, revoked, used, or was not given to this client here.';
const SIGN_IN = 'What this refresh token gave is not allowed here: the person has to sign in again.';

/** The epoch of a person whose sign-ins have never been ended all at once. */
const NEVER_ENDED = '0';
/** No service keeps one for longer. */
const YEAR = 31_536_000;

/** Errors after which that service still has the token, or has refused it. */
const KEEP_NOTHING = [InvalidGrant, TemporarilyUnavailable, TooManyAttempts, RegistryChanged];

/** `restore`: takes the use of a token back that an import brought. */
type Former = {
  personId: string;
  personEpoch: string;
  scopes: string[];
  authTime: Date | null;
  restore: () => Promise<void>;
};

/** A request that is answered again because the registry has changed has its token used up once. */
const spent = new WeakMap<GrantContext['http'], Former>();

/** Null: the token is one of ours, or none of another service that is known here. */
export async function formerGrant({ values }: Params, context: GrantContext): Promise<Granted | null> {
  const presented = values.get('refresh_token');
  if (presented === undefined || hashRefresh(presented) !== null) return null;
  const former = spent.get(context.http) ?? (await takenFrom(presented, values, context));
  if (former === null) return null;
  spent.set(context.http, former);
  try {
    return await give(former, values.get('scope'), context);
  } catch (error) {
    if (error instanceof OAuthError) await former.restore();
    throw error;
  }
}

async function takenFrom(
  presented: string,
  values: Params['values'],
  context: GrantContext,
): Promise<Former | null> {
  const { clientId, apiId, authMethodId } = binding(context);
  const token = { tokenHash: sha256(presented), clientId, apiId, authMethodId };
  const brought = await spendFormerToken(token);
  if (brought) return { ...brought, restore: () => restoreFormerToken(token, brought) };
  const address = formerAddress(context.issuer);
  if (!address?.asks) return null;
  const seconds = Math.min(YEAR, Math.ceil((address.end - now().getTime()) / 1000));
  if (!(await markAsked({ ...token, seconds }))) throw new InvalidGrant(REFUSED, { reason: 'refresh-used' });
  try {
    const { sub, scopes, authTime } = await askFormer(values, context, { ...address, asks: address.asks });
    const personId = await findPersonBySub(sub);
    const person =
      personId === null ? null : await findPersonAtMethod(await database(), { id: personId }, authMethodId);
    // an end of everything of the person here is an end of what was given there too
    if (person?.epoch !== NEVER_ENDED) throw new InvalidGrant(SIGN_IN);
    return {
      personId: person.personId,
      personEpoch: person.epoch,
      scopes,
      authTime,
      restore: async () => {},
    };
  } catch (error) {
    // only what was taken there is kept, so that no stranger fills the table
    if (KEEP_NOTHING.some((kind) => error instanceof kind)) await forgetAsked(token);
    throw error;
  }
}

async function give(former: Former, asked: string | undefined, context: GrantContext): Promise<Granted> {
  const { issuer, client, subscription, proof } = context;
  const person = await findPersonAtMethod(await database(), { id: former.personId }, issuer.method.id);
  if (!person?.signsIn || person.disabled) throw new InvalidGrant(SIGN_IN);
  const wanted = asked?.split(' ');
  const ceiling = [...OPENID_SCOPE_NAMES, ...scopeCeiling(issuer.api, subscription)];
  const scopes = former.scopes.filter(
    (name) => ceiling.includes(name) && (wanted === undefined || wanted.includes(name)),
  );
  if (scopes.length === 0) throw new InvalidGrant(SIGN_IN);
  const verifier = randomToken('');
  const params = parseForm(
    new URLSearchParams({
      response_type: 'code',
      client_id: client.clientId,
      scope: scopes.join(' '),
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    }).toString(),
  );
  // no browser goes there: the code stays here
  const recipient = { ...identify(issuer, params, issuer.url), issuer };
  const request = await forPerson(validate(recipient, params), former.personId);
  if (request.waits || request.shutOut || request.scopes.length === 0) throw new InvalidGrant(SIGN_IN);
  const code = mint('code');
  // no page can ask for more here
  const asking = { strength: request.strength, silent: true, here: false, postponed: false, graceDays: 0 };
  const { facts, issued } = await authorize({
    ...binding(context),
    restricted: subscription.restricted,
    consentSince: request.consentSince,
    signIn: {
      kind: 'person',
      personId: former.personId,
      personEpoch: former.personEpoch,
      methodEpoch: issuer.method.epoch,
      // a request that asks how old the sign-in is gets a new one
      authTime: former.authTime ?? new Date(0),
    },
    codeChallenge: request.codeChallenge,
    dpopJkt: proof?.jkt ?? null,
    freshChallenge: false,
    strength: strengthAsked(asking, settings().trustedBrowserDays),
    code: {
      hash: code.hash,
      redirectUri: request.redirectUri,
      scopes: request.scopes,
      scopeAsked: false,
      basis: request.trusted ? 'trust' : 'consent',
      consentScopes: request.consentScopes,
      maxAgeSeconds: null,
      openid: request.openid,
      expectedPersonId: former.personId,
    },
  });
  if (facts && secondFactorStep(asking, facts)) throw new InvalidGrant(SIGN_IN, { reason: 'acr-too-low' });
  if (!issued) throw new InvalidGrant(SIGN_IN);
  const redemption = new Map([
    ['code', code.value],
    ['code_verifier', verifier],
    ['redirect_uri', request.redirectUri],
  ]);
  return redeemAuthorizationCode({ values: redemption, repeated: new Set() }, context) as Promise<Granted>;
}
