// From a valid authorize request to its next step, on the current registry and for the person who has signed in.

import { parseForm } from '#lib/http/params.ts';
import { asksGroups } from '#lib/registry/api.ts';
import { isPrivateUse, kindOf } from '#lib/registry/client.ts';
import type { Authorized } from '#lib/store/hot/authorize.ts';
import { findSignInSession } from '#lib/store/hot/sessions.ts';
import {
  catchUp,
  hasChanged,
  RegistryChanged,
  recentSnapshot,
  type Snapshot,
  watchedSnapshot,
} from '#lib/store/snapshot.ts';
import { personDenied, scopesOfPerson } from '../client.ts';
import {
  AccessDenied,
  ConsentRequired,
  InteractionRequired,
  InvalidClient,
  InvalidDpopProof,
  InvalidGrant,
  InvalidScope,
  InvalidTarget,
  InvalidToken,
  LoginRequired,
  OAuthError,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnknownIssuer,
  UnsupportedGrantType,
  UseDpopNonce,
} from '../errors.ts';
import { findIssuer } from '../issuer.ts';
import { NO_AUTH_TIME } from '../rules.ts';
import { UnregisteredClientRefused, withUnregisteredClient } from '../unregistered.ts';
import {
  type Asking,
  allowance,
  type Interaction,
  ownReturnOf,
  type SecondFactorStep,
  secondFactorStep,
  strengthOfRequest,
} from './interaction.ts';
import { AuthorizeRefused, type AuthorizeRequest, identify, validate } from './request.ts';

// The next step of a valid request: sign-in, second factor, consent, a code, or an error. Pure; every interactive step
// has its prompt=none exit beside it.

export type AuthorizeDecision =
  | { kind: 'login' }
  | SecondFactorStep
  | { kind: 'approval' }
  | { kind: 'refused' }
  | { kind: 'consent' }
  | { kind: 'issue' }
  | { kind: 'error'; error: OAuthError };

export type AuthorizeQuestion = {
  request: AuthorizeRequest;
  /** this browser's session, as interactions name it; null: none */
  session: string | null;
  interaction: Interaction | null;
  /** the person that the request names; null: any */
  expectedPersonId: string | null;
  /** SECOND_FACTOR_GRACE_DAYS */
  graceDays: number;
};

/** Did the person sign in for this very request? Then neither prompt=login nor max_age asks again. */
export function signedInHere({ session, interaction }: AuthorizeQuestion): boolean {
  return session !== null && interaction?.signedIn === session;
}

/** What a code would rest on if the facts about the session allow it; null: the person has to be asked in any case. */
export function codeBasis(asked: AuthorizeQuestion): 'consent' | 'trust' | null {
  const { request, session, interaction } = asked;
  const refused =
    interaction?.denied || interaction?.refused || interaction?.unavailable || interaction?.untimed;
  if (session === null || refused || request.waits || asksToSignIn(asked)) return null;
  if (request.trusted) return needsAct(request) ? null : 'trust';
  const asksAgain = request.prompt.has('consent') || isAnybodys(request);
  return !asksAgain || interaction?.allowed === allowance(session, request.consentScopes) ? 'consent' : null;
}

/** What counts of it for the second factor. */
export function askingOf(asked: AuthorizeQuestion): Asking {
  const { request, session, interaction, graceDays } = asked;
  return {
    strength: request.strength,
    silent: request.prompt.has('none'),
    here: signedInHere(asked),
    postponed: session !== null && interaction?.postponed === session,
    graceDays,
  };
}

export function decideAuthorize(
  asked: AuthorizeQuestion,
  facts: Authorized['facts'],
  now: Date,
): AuthorizeDecision {
  const { request, interaction, expectedPersonId } = asked;
  const silent = request.prompt.has('none');
  if (interaction?.denied) return { kind: 'error', error: new AccessDenied('The person did not agree.') };
  if (interaction?.refused) return { kind: 'error', error: personDenied() };
  if (interaction?.untimed)
    return { kind: 'error', error: new AccessDenied(NO_AUTH_TIME, { reason: 'no-auth-time' }) };
  if (interaction?.unavailable) {
    return { kind: 'error', error: new TemporarilyUnavailable('The sign-in service is not answering.') };
  }
  const other = facts !== null && expectedPersonId !== null && facts.personId !== expectedPersonId;
  if (other && signedInHere(asked))
    return { kind: 'error', error: new LoginRequired('Somebody else signed in than the request names.') };
  if (!facts || other || asksToSignIn(asked) || (isTooOld(request, facts, now) && !signedInHere(asked))) {
    if (silent)
      return { kind: 'error', error: new LoginRequired('Nobody is signed in here, or not recently enough.') };
    return { kind: 'login' };
  }
  const step = secondFactorStep(askingOf(asked), facts);
  if (step) return step;
  if (request.waits)
    return silent
      ? { kind: 'error', error: new ConsentRequired('The person has to come with this client first.') }
      : { kind: 'approval' };
  if (!facts.mayUse || request.shutOut)
    return silent ? { kind: 'error', error: personDenied() } : { kind: 'refused' };
  const basis = codeBasis(asked);
  const { consented } = facts;
  const covered = consented !== null && request.consentScopes.every((scope) => consented.includes(scope));
  if (basis === 'trust' || (basis === 'consent' && covered)) return { kind: 'issue' };
  if (silent && request.trusted) return { kind: 'error', error: new InteractionRequired(NEEDS_ACT) };
  if (silent) return { kind: 'error', error: new ConsentRequired('The person has to agree first.') };
  return { kind: 'consent' };
}

/** An application of the device receives the answer: a native client, or a private-use scheme of a confidential one. */
const goesToDevice = ({ client, redirectUri }: AuthorizeRequest): boolean =>
  kindOf(client) === 'native' || isPrivateUse(redirectUri);

/**
 * Another program on the machine can use such a redirect address (RFC 8252 §8.6), so consent is asked again. Only a
 * document's client with an https address is answered without a page.
 */
function isAnybodys(request: AuthorizeRequest): boolean {
  const { client, redirectUri } = request;
  return goesToDevice(request) && !(client.origin === 'document' && /^https:/i.test(redirectUri));
}

const NEEDS_ACT =
  'Any program on the machine can receive an answer at this redirect_uri, so prompt=none gets no code: use the refresh token, or leave prompt out.';

/**
 * RFC 8252 §8.6: without a user's act no code goes to an address that another program can take, such as a private-use
 * scheme or a port of this machine. Trust does not prove which program asks.
 */
function needsAct(request: AuthorizeRequest): boolean {
  return request.prompt.has('none') && goesToDevice(request) && !/^https:/i.test(request.redirectUri);
}

/** The sign-in page serves all three, and so does a broker's: a person can change accounts there. */
export const ASKING = ['login', 'select_account', 'create'] as const;

function asksToSignIn(asked: AuthorizeQuestion): boolean {
  const { prompt } = asked.request;
  const wanted = ASKING.some((value) => prompt.has(value)) || asked.interaction?.switching === true;
  return wanted && !signedInHere(asked);
}

function isTooOld({ maxAgeSeconds }: AuthorizeRequest, { authTime }: { authTime: Date }, now: Date): boolean {
  return maxAgeSeconds !== null && now.getTime() - authTime.getTime() > maxAgeSeconds * 1000;
}

// A request as it is for the person who has signed in: without the scopes that are for people of other groups.

export async function forPerson(request: AuthorizeRequest, personId: string): Promise<AuthorizeRequest> {
  const { issuer, scopes, consentScopes } = request;
  const allowed = await scopesOfPerson(issuer, personId, scopes);
  if (allowed === null) return { ...request, shutOut: true };
  if (allowed.length === scopes.length) return request;
  const isLeft = (name: string) => allowed.includes(name) || !scopes.includes(name);
  // the answer of the token address says what is left, and what is not given asks no stronger sign-in
  const strength = strengthOfRequest(request, { ...request, scopes: allowed });
  const left = { scopes: allowed, scopeAsked: false, consentScopes: consentScopes.filter(isLeft), strength };
  return { ...request, ...left };
}

/** For the person of this session; as it is where no one is signed in. */
export async function forSession(
  request: AuthorizeRequest,
  idHash: Uint8Array | null,
): Promise<AuthorizeRequest> {
  const { api, method } = request.issuer;
  if (idHash === null || !asksGroups(api)) return request;
  const session = await findSignInSession(idHash, method.id);
  return session ? forPerson(request, session.personId) : request;
}

// A request relies on a snapshot of the registry, and its answer holds for the current one. The statement that acts
// confirms the snapshot; a refusal without a statement is confirmed here, before it is given. Where what the
// request relied on has changed, nothing has happened, and the request is answered again (docs/decisions/0004).

/** From the first change on, a request is answered again for this long while what it relies on keeps changing. */
const GIVE_UP_MS = 3_000;
const REFUSALS = [
  UnregisteredClientRefused,
  AuthorizeRefused,
  InvalidClient,
  InvalidDpopProof,
  InvalidGrant,
  InvalidScope,
  InvalidTarget,
  InvalidToken,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnknownIssuer,
  UnsupportedGrantType,
  UseDpopNonce,
];

/**
 * Before an answer without a statement or a refusal, such as "no token of ours": RegistryChanged where a key that
 * another process made, or this client (null: none), is newer than the snapshot. `since`: when the request came
 * (performance.now()).
 */
export async function requireCurrent(
  snapshot: Snapshot,
  clientId: string | null,
  since: number,
): Promise<void> {
  if (await hasChanged(snapshot, clientId, since)) throw new RegistryChanged('the registry has changed');
}

type RegistryUse = {
  /**
   * `recentSnapshot` where the statement that acts confirms it; `currentSnapshot`, which asks first, where none does
   */
  read: () => Promise<Snapshot>;
  /** the client whose part of the registry this refusal rests on; null: none */
  clientId: (error: unknown) => Promise<string | null>;
};

export async function onCurrentRegistry<T>(
  { read, clientId }: RegistryUse,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  // a password may have waited for its check longer than that before anything changed
  let end = Number.POSITIVE_INFINITY;
  while (performance.now() < end) {
    const since = performance.now();
    const snapshot = await read();
    try {
      return await work(snapshot);
    } catch (error) {
      if (error instanceof OAuthError && error.counted) throw error;
      const again =
        error instanceof RegistryChanged ||
        (REFUSALS.some((kind) => error instanceof kind) &&
          (await hasChanged(snapshot, await clientId(error), since)));
      if (!again) throw error;
    }
    end = Math.min(end, performance.now() + GIVE_UP_MS);
    await catchUp(end - performance.now());
  }
  throw new TemporarilyUnavailable('The registry is being changed right now. Try again in a moment.');
}

// The authorize request that an interaction interrupted, checked again: what was sealed may have been withdrawn since.

/** UnknownIssuer, UnidentifiedRequest, UnregisteredClientRefused, or an OAuthError */
export async function interruptedRequest(
  interaction: Interaction,
  snapshot: Snapshot,
): Promise<AuthorizeRequest> {
  const params = parseForm(interaction.query);
  const issuer = findIssuer(snapshot, interaction);
  const known = await withUnregisteredClient(issuer, params.values.get('client_id'), {
    address: null,
    requestId: '',
  });
  return validate(identify(known, params, ownReturnOf(interaction)), params);
}

/**
 * The interrupted request for a page, which no statement confirms: one process must not show what another one has just
 * seen change.
 */
export const shownRequest = (interaction: Interaction): Promise<AuthorizeRequest> =>
  onRegistryOf(interaction, async (request) => request, watchedSnapshot);

/** Runs `work` with the interrupted request, again where what it relies on has changed. */
export function onRegistryOf<T>(
  interaction: Interaction,
  work: (request: AuthorizeRequest) => Promise<T>,
  read = recentSnapshot,
): Promise<T> {
  const clientId = async () => parseForm(interaction.query).values.get('client_id') ?? null;
  return onCurrentRegistry({ read, clientId }, async (snapshot) =>
    work(await interruptedRequest(interaction, snapshot)),
  );
}
