// Explains a token request step by step: for a client, a user, and each grant.

import { randomUUID } from 'node:crypto';
import { asksGroups } from '#lib/catalogue/apis/definition.ts';
import { parseForm } from '#lib/http/params.ts';
import { now, nowSeconds } from '#lib/kit/clock.ts';
import { randomToken } from '#lib/kit/random.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { wordsOf } from '#lib/language/words.ts';
import { settings } from '#lib/settings/settings.ts';
import { authorize, type SignedIn } from '#lib/store/hot/authorize.ts';
import { exchangeToken } from '#lib/store/hot/exchange.ts';
import { createFamily, explainRefreshToken, rotateRefreshToken } from '#lib/store/hot/refresh-tokens.ts';
import { findNewestRefreshToken, findPersonAtMethod, type PersonAtMethod } from '#lib/store/identities.ts';
import { type Db, inTransaction } from '#lib/store/prisma.ts';
import {
  currentSnapshot,
  type Snapshot,
  type SnapshotApi,
  type SnapshotClient,
} from '#lib/store/snapshot.ts';
import { accessTokenPayload, machineTokenPayload } from '#lib/tokens/access-token.ts';
import { mint } from '#lib/tokens/formats.ts';
import { allowance, strengthAsked } from './authorize/interaction.ts';
import {
  type AuthorizeQuestion,
  type AuthorizeRequest,
  askingOf,
  decideAuthorize,
  forPerson,
  identify,
  onCurrentRegistry,
  validate,
} from './authorize/request.ts';
import {
  asAuthenticated,
  personDenied,
  personRefused,
  requireSubscription,
  scopesOfPerson,
} from './client.ts';
import { deviceReturn, requestOfDevice } from './device.ts';
import {
  InvalidClient,
  InvalidGrant,
  InvalidScope,
  InvalidTarget,
  OAuthError,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnknownIssuer,
  UnmetAuthenticationRequirements,
  UnsupportedGrantType,
} from './errors.ts';
import { exchangeTerms, notExchanged, requireExchangeClient, requireTarget } from './exchange/exchange.ts';
import {
  accessClaims,
  machineScopes,
  noFamily,
  passwordFamily,
  passwordScopes,
  refreshRefusal,
  refreshRotation,
  type ToldGranted,
} from './grants/grant.ts';
import { findIssuer, type Issuer } from './issuer.ts';
import {
  AUTHORIZATION_CODE,
  challengeOf,
  DEVICE_CODE,
  PASSWORD,
  REFRESH_TOKEN,
  requireProfiledClient,
  TOKEN_EXCHANGE,
} from './rules.ts';
import { findGrant } from './token.ts';
import { issuerUnread, ruleFor, UnregisteredClientRefused } from './unregistered.ts';

// Steps of an explanation: passed, or failed with a reason.

/** Names of the steps, in the order in which a request passes them. */
type StepName =
  | 'auth_method'
  | 'client'
  | 'redirect_uri'
  | 'subscription'
  | 'machine'
  | 'grant'
  | 'subject_token'
  | 'scope'
  | 'person'
  | 'second_factor'
  | 'claim'
  | 'refresh'
  | 'consent';

/** A note on a step: the user action that the passed step requires, or the reason why it was skipped. */
export type Note =
  | 'approved-by-rule'
  | 'factor-asked'
  | 'factor-required'
  | 'factor-grace'
  | 'factor-offer'
  | 'consent-asked'
  | 'consent-given'
  | 'device-asked'
  | 'trusted';

export type ExplainedStep = {
  step: StepName;
  ok: boolean;
  note?: Note;
  refusal?: Refusal;
};

/** Error for the client or its developer. `reason`: value that the console's inspector shows; `code`: OAuth error. */
type Refusal = { code: string; reason: string | null; description: string };

/** Rejects a disabled client, like the token endpoint (token.ts). */
function requireEnabled({ disabled }: Pick<SnapshotClient, 'disabled'>): void {
  if (disabled) throw new InvalidClient('The client is disabled.', { reason: 'client-disabled' });
}

/** Thrown if the user would see a page and the client would receive nothing. */
class AnsweredByPage extends Error {
  override name = 'AnsweredByPage';
  readonly reason:
    | 'comes-first'
    | 'person-unknown'
    | 'person-disabled'
    | 'person-other-method'
    | 'refresh-none';
  constructor(reason: AnsweredByPage['reason']) {
    super(reason);
    this.reason = reason;
  }
}

/** Thrown to assign an error, its `cause`, to the step with the name `step`. */
class StepRefused extends Error {
  override name = 'StepRefused';
  readonly step: StepName;
  constructor(step: StepName, cause: unknown) {
    super(step, { cause });
    this.step = step;
  }
}

/** Maps error classes to steps. Other errors belong to the step `client`. */
const STEP_OF: readonly [kind: abstract new (...args: never[]) => Error, step: StepName][] = [
  [UnknownIssuer, 'auth_method'],
  [UnregisteredClientRefused, 'subscription'],
  [UnauthorizedClient, 'subscription'],
  [UnsupportedGrantType, 'grant'],
  [InvalidTarget, 'grant'],
  [InvalidScope, 'scope'],
  // the refresh token is valid, but the permission on which it is based is not
  [InvalidGrant, 'refresh'],
  [UnmetAuthenticationRequirements, 'second_factor'],
];

/** The step of each reason that is more specific than its error class. */
const STEP_OF_REASON: Readonly<Record<string, StepName>> = {
  'comes-first': 'subscription',
  'profile-client': 'client',
  'no-redirect-uri': 'redirect_uri',
  'not-machine': 'machine',
  'machine-public': 'machine',
  'exchange-public': 'grant',
  'person-unknown': 'person',
  'person-disabled': 'person',
  'person-other-method': 'person',
  'person-refused': 'claim',
  'acr-too-low': 'second_factor',
  'refresh-none': 'refresh',
  'refresh-unknown': 'refresh',
  'refresh-used': 'refresh',
  'refresh-race': 'refresh',
  'refresh-ended': 'refresh',
  'refresh-expired': 'refresh',
  'refresh-other-issuer': 'refresh',
};

/** Returns the step to which a rejection belongs. Throws every other error again. */
function refusedStep(error: unknown): ExplainedStep {
  if (error instanceof StepRefused) return { ...refusedStep(error.cause), step: error.step };
  const refusal = refusalOf(error);
  const byClass = STEP_OF.find(([kind]) => error instanceof kind)?.[1];
  const step = ownValue(STEP_OF_REASON, refusal.reason ?? '') ?? byClass ?? 'client';
  return { step, ok: false, refusal };
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof OAuthError) {
    const { code, reason, message: description } = error;
    return { code, reason, description };
  }
  if (error instanceof UnidentifiedRequest) {
    const reason = error.told === 'errors.no_return' ? 'no-redirect-uri' : 'client-disabled';
    const description = error.forDeveloper ?? wordsOf('en').told(error.told);
    return { code: 'invalid_request', reason, description };
  }
  if (error instanceof UnknownIssuer) return { code: 'not_found', reason: null, description: '' };
  if (error instanceof UnregisteredClientRefused)
    return { code: 'access_denied', reason: null, description: error.forDeveloper };
  if (error instanceof AnsweredByPage)
    return { code: 'access_denied', reason: error.reason, description: '' };
  throw error;
}

// Checks of the authorize endpoint (authorize.ts) for a user who just signed in, and the claims of the resulting token.

type Coming = { client: SnapshotClient; person: PersonAtMethod | null; scope: string | undefined };
type Claims = Record<string, unknown>;

/** Runs the checks for a token with a user, and adds their steps to `steps`. Throws the first rejection. */
async function personToken(steps: ExplainedStep[], called: Issuer, coming: Coming): Promise<Claims> {
  return allowedPayload(await personSignedIn(steps, called, coming));
}

type Allowed = { request: AuthorizeRequest; facts: SignedIn; acrLevel: SignedIn['level'] | null };

/** Device code grant (RFC 8628): a user has entered the code. */
async function deviceToken(steps: ExplainedStep[], issuer: Issuer, coming: Coming): Promise<Claims> {
  const { client, scope } = coming;
  requireEnabled(client);
  findGrant(DEVICE_CODE, issuer);
  const values = new Map(scope === undefined ? [] : [['scope', scope]]);
  const of = { issuer, client, deviceCodeHash: mint('device').hash, jkt: null };
  const deviceRequest = { query: requestOfDevice({ values }, of), ownReturn: deviceReturn() };
  return allowedPayload(await personSignedIn(steps, issuer, coming, deviceRequest));
}

type Asked = { query: string; ownReturn: string | null };

/** Runs the checks of the authorize endpoint and returns the basis of the code. */
async function personSignedIn(
  steps: ExplainedStep[],
  called: Issuer,
  { client, person, scope }: Coming,
  { query, ownReturn }: Asked = { query: queryOf(client, scope), ownReturn: null },
): Promise<Allowed> {
  const issuer = issuerUnread(called, client.clientId) ?? called;
  const params = parseForm(query);
  const recipient = identify(issuer, params, ownReturn);
  let request = validate(recipient, params);
  if (request.waits) {
    const letIn = letInByRule(request);
    if (letIn === null) throw new AnsweredByPage('comes-first');
    request = validate({ ...recipient, client: letIn }, params);
    steps.push({ step: 'subscription', ok: true, note: 'approved-by-rule' });
  }
  if (person !== null) request = await forPerson(request, person.personId);
  const question = questionOf(request);
  const facts = person?.signsIn ? await factsOf(question, person) : null;
  if (facts === null) throw new AnsweredByPage(whyAway(person));
  steps.push({ step: 'person', ok: true });
  const { strength } = request;
  const signedIn = decideSignedIn(steps, question, facts);
  if (ownReturn !== null) tellOfDevice(steps);
  return {
    request,
    facts: signedIn,
    acrLevel: strength.level !== null || signedIn.level > 1 ? signedIn.level : null,
  };
}

function queryOf(
  { clientId, redirectUris: [redirectUri] }: SnapshotClient,
  scope: string | undefined,
): string {
  return new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
    ...(scope !== undefined && { scope }),
    code_challenge: challengeOf(randomToken('')),
    code_challenge_method: 'S256',
  }).toString();
}

/** Returns the client as it is after a rule of the API approves it; null: no rule matches. */
function letInByRule({
  issuer: { api },
  client,
  scopes,
  scopeNamed,
}: AuthorizeRequest): SnapshotClient | null {
  const rule = ruleFor(api, client, { scopes, scopeNamed });
  if (rule === null) return null;
  const terms = { trusted: false, machine: false, device: false, restricted: false, maxDays: rule.max_days };
  const ruleSubscription = { apiId: api.id, state: 'approved', scopes: rule.scopes, ...terms } as const;
  return {
    ...client,
    subscriptions: [
      ...client.subscriptions.filter((subscription) => subscription.apiId !== api.id),
      ruleSubscription,
    ],
  };
}

/** Placeholder name: sessions never use it. */
const SESSION = 'explained';

function questionOf(request: AuthorizeRequest): AuthorizeQuestion {
  const { issuer, consentScopes } = request;
  return {
    request,
    session: SESSION,
    interaction: {
      authMethodId: issuer.method.id,
      apiId: issuer.api.id,
      query: '',
      startedAt: now().getTime(),
      browser: '',
      signedIn: SESSION,
      // assumes the user's consent if the client requires consent for every request
      allowed: allowance(SESSION, consentScopes),
    },
    expectedPersonId: null,
    graceDays: settings().secondFactorGraceDays,
  };
}

/** Runs the authorize endpoint’s statement without a code, so it only reads. Returns null if the user is disabled. */
async function factsOf(question: AuthorizeQuestion, person: PersonAtMethod): Promise<SignedIn | null> {
  const { issuer, client, restricted, consentSince } = question.request;
  const { facts } = await authorize({
    version: issuer.snapshot.version,
    signIn: {
      kind: 'person',
      personId: person.personId,
      personEpoch: person.epoch,
      methodEpoch: issuer.method.epoch,
      authTime: now(),
    },
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    restricted,
    consentSince,
    issuerHost: issuer.host,
    codeChallenge: null,
    freshChallenge: false,
    strength: strengthAsked(askingOf(question), settings().trustedBrowserDays),
    code: null,
    requestId: SESSION,
    ip: null,
  });
  return facts;
}

const whyAway = (person: PersonAtMethod | null) =>
  person === null ? 'person-unknown' : person.disabled ? 'person-disabled' : 'person-other-method';

/** Returns the facts as they are after all required user actions. Throws if access is denied. */
function decideSignedIn(steps: ExplainedStep[], question: AuthorizeQuestion, facts: SignedIn): SignedIn {
  const decision = decideAuthorize(question, facts, now());
  switch (decision.kind) {
    case 'confirm':
    case 'set-up': {
      const note = decision.kind === 'confirm' ? 'factor-asked' : (`factor-${decision.why}` as const);
      if (steps.at(-1)?.step !== 'second_factor') steps.push({ step: 'second_factor', ok: true, note });
      const skipped = decision.kind === 'set-up' && decision.why !== 'required';
      const proved = { level: decision.level, factorLevel: decision.level };
      const postponed = {
        ...question,
        interaction: question.interaction && { ...question.interaction, postponed: SESSION },
      };
      return skipped
        ? decideSignedIn(steps, postponed, { ...facts, inGrace: true })
        : decideSignedIn(steps, question, { ...facts, ...proved });
    }
    case 'refused':
      factorHolds(steps);
      throw personDenied();
    case 'consent':
    case 'issue': {
      const { trusted, restricted } = question.request;
      factorHolds(steps);
      if (restricted || asksGroups(question.request.issuer.api)) steps.push({ step: 'claim', ok: true });
      const consentNote = trusted ? 'trusted' : 'consent-given';
      steps.push({
        step: 'consent',
        ok: true,
        note: decision.kind === 'issue' ? consentNote : 'consent-asked',
      });
      return facts;
    }
    case 'error':
      throw decision.error;
    default:
      throw new Error(`a person who has signed in is asked to ${decision.kind}`);
  }
}

/** Adds the step of the device page, which every user sees, even for a trusted client. */
function tellOfDevice(steps: ExplainedStep[]): void {
  const consent = steps.find(({ step }) => step === 'consent');
  if (consent && consent.note !== 'consent-asked') consent.note = 'device-asked';
}

function factorHolds(steps: ExplainedStep[]): void {
  if (steps.at(-1)?.step !== 'second_factor') steps.push({ step: 'second_factor', ok: true });
}

/** Claims of the access token as the token endpoint would sign it. */
async function allowedPayload({ request, facts, acrLevel }: Allowed): Promise<Claims> {
  const { issuer, client, scopes } = request;
  const { personId, authTime } = facts;
  // only a sign-in determines the authentication methods (`amr`)
  const granted = { personId, scopes, authTime, acrLevel, amr: null };
  return accessTokenPayload(await accessClaims(granted, { issuer, client }));
}

// Checks of the token endpoints for grants without a page: password, refresh and exchange. The usual SQL statements
// decide, in a transaction that is rolled back.

/** Placeholder id: requests never use it. */
const REQUEST = { http: { requestId: 'explained' }, ip: null };

function requirePresent(person: PersonAtMethod | null, steps: ExplainedStep[]): PersonAtMethod {
  if (!person?.signsIn || person.disabled) throw new AnsweredByPage(whyAway(person));
  steps.push({ step: 'person', ok: true });
  return person;
}

const grantedPayload = async (
  granted: ToldGranted,
  to: { issuer: Issuer; client: SnapshotClient },
): Promise<Claims> => accessTokenPayload(await accessClaims(granted, to));

/** Runs the checks of the password grant (RFC 6749 §4.3), for a user whose password is correct. */
async function passwordToken(
  steps: ExplainedStep[],
  issuer: Issuer,
  { client, person, scope }: Coming,
): Promise<Claims> {
  requireEnabled(client);
  requireProfiledClient(issuer.api, client);
  const subscription = requireSubscription(issuer.api, client);
  findGrant(PASSWORD, issuer);
  const possible = passwordScopes(scope, { issuer, client: asAuthenticated(client) });
  const { personId, epoch: personEpoch } = requirePresent(person, steps);
  const scopes = await scopesOfPerson(issuer, personId, possible);
  if (scopes === null) throw personRefused();
  const context = { ...REQUEST, issuer, client, subscription };
  const family = passwordFamily(context, { personId, personEpoch, scopes });
  const tokenFamily = await inTransaction(
    ({ run }) =>
      createFamily(
        {
          ...family,
          familyId: randomUUID(),
          refreshHash: mint('refresh').hash,
          opaqueHash: null,
          attempts: [],
        },
        run,
      ),
    'rollback',
  );
  if (tokenFamily === 'has-factor') throw new InvalidGrant('', { reason: 'acr-too-low' });
  steps.push({ step: 'second_factor', ok: true });
  if (!tokenFamily) throw noFamily(context);
  return grantedPayload(
    { personId, scopes, authTime: tokenFamily.authTime, acrLevel: null, amr: ['pwd'] },
    { issuer, client },
  );
}

/** Runs the checks of the refresh grant (RFC 6749 §6), with the client’s newest refresh token of this user. */
async function refreshedToken(
  steps: ExplainedStep[],
  issuer: Issuer,
  { client, person, scope }: Coming,
  db: Db,
): Promise<Claims> {
  requireEnabled(client);
  requireProfiledClient(issuer.api, client);
  const subscription = requireSubscription(issuer.api, client);
  const context = { ...REQUEST, issuer, client, subscription };
  const rotation = refreshRotation(scope, context);
  if (person === null) throw new AnsweredByPage('person-unknown');
  if (person.disabled) throw new AnsweredByPage('person-disabled');
  steps.push({ step: 'person', ok: true });
  const { apiId, authMethodId, clientId } = rotation;
  const newest = await findNewestRefreshToken(db, {
    personId: person.personId,
    apiId,
    authMethodId,
    clientId,
  });
  if (newest === null) throw new AnsweredByPage('refresh-none');
  // assumes that the client has the key, because this check receives no proof of it
  const rotationRequest = { ...rotation, oldHash: newest.hash, jkt: newest.jkt };
  const rotated = await inTransaction(
    ({ run }) =>
      rotateRefreshToken({ ...rotationRequest, newHash: mint('refresh').hash, opaqueHash: null }, run),
    'rollback',
  );
  if (!rotated) throw refreshRefusal(await explainRefreshToken(rotationRequest), rotation.scopes, context);
  steps.push({ step: 'refresh', ok: true });
  return grantedPayload(rotated, { issuer, client });
}

type Subject = {
  client: SnapshotClient;
  api: SnapshotApi;
  /** true: the client presents an access token that it received for itself as the actor token */
  actor: boolean;
};

/**
 * Runs the checks of a token exchange (RFC 8693). Assumes the token that the subject’s client would receive after a
 * new sign-in.
 */
async function exchangedToken(
  steps: ExplainedStep[],
  issuer: Issuer,
  { client: caller, person, scope }: Coming,
  subject: Subject,
): Promise<Claims> {
  requireEnabled(caller);
  const { api, method, snapshot } = issuer;
  requireProfiledClient(api, caller);
  const client = requireExchangeClient(asAuthenticated(caller));
  const subscription = requireTarget(api, client, subject.actor);
  const { request, facts, acrLevel } = await ofSubject(() => {
    const from = findIssuer(snapshot, { authMethodId: method.id, apiId: subject.api.id });
    return personSignedIn([], from, { client: subject.client, person, scope: undefined });
  });
  steps.push({ step: 'subject_token', ok: true });
  const { personId, authTime } = facts;
  const presented = {
    personId,
    authTime,
    epochs: { person: person?.epoch ?? '', method: method.epoch },
    authMethodId: method.id,
    expiresAt: nowSeconds() + subject.api.accessTokenTtlSeconds,
    own: {
      ...{ familyId: '', jti: null, opaqueHash: null, act: null, exchangeDepth: 0, ceilings: null },
      clientId: subject.client.clientId,
      apiId: subject.api.id,
      scopes: request.scopes,
      acrLevel,
      amr: null,
    },
  };
  const { clientId } = client;
  const actor = subject.actor ? { sub: clientId, clientId, expiresAt: presented.expiresAt } : null;
  const exchangeRequest = { client, api, subscription, subject: presented, actor, scope };
  const terms = await exchangeTerms(exchangeRequest, snapshot);
  // the subject token has no token family, so the statement checks the user and the method instead
  const family = { ...terms, familyId: randomUUID(), subject: null, opaqueHash: null };
  const expiresAt = await inTransaction(
    ({ run }) => exchangeToken({ ...family, requestId: REQUEST.http.requestId, ip: null }, run),
    'rollback',
  );
  if (typeof expiresAt !== 'number') throw notExchanged(expiresAt, subscription);
  const { act, strength, scopes } = terms;
  const granted = { ...strength, personId, scopes, authTime, expiresAt, exchanged: { act } };
  return grantedPayload(granted, { issuer, client });
}

/** Runs `work`. If an earlier step rejects the request, its error is assigned to the subject token. */
async function ofSubject<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StepRefused('subject_token', error);
  }
}

// Explains step by step what happens if this client requests a token for this API, with the functions of the
// authorize and token endpoints. No token is issued, and nothing is stored.

export type ExplanationAsked = {
  clientId: string;
  apiId: string;
  /** owner of the token; `machine`: the client itself (RFC 6749 §4.4) */
  whose: { id: string } | { email: string } | 'machine';
  /** null: the API's first method that the user can use */
  authMethodId: string | null;
  /** scope parameter of the request; undefined: omitted */
  scope: string | undefined;
  /** grant of a user's token */
  grant: PersonGrant;
  /** for an exchange: client and API of the exchanged token */
  subject?: { clientId: string; apiId: string; actor: boolean };
};

/** Grants for user tokens. */
export const PERSON_GRANTS = [
  AUTHORIZATION_CODE,
  PASSWORD,
  REFRESH_TOKEN,
  TOKEN_EXCHANGE,
  DEVICE_CODE,
] as const;
type PersonGrant = (typeof PERSON_GRANTS)[number];

type Explanation = {
  steps: ExplainedStep[];
  authMethodId: string | null;
  /** null: unknown user, or a token of the client itself */
  personId: string | null;
  /** claims of the access token without `jti`; null: no token */
  token: Record<string, unknown> | null;
};

/** Returns null for an unknown client or API. */
export function explainRequest(db: Db, question: ExplanationAsked): Promise<Explanation | null> {
  const use = { read: currentSnapshot, clientId: () => Promise.resolve(null) };
  return onCurrentRegistry(use, async (snapshot) => {
    const [api, client] = [snapshot.apis.get(question.apiId), snapshot.clients.get(question.clientId)];
    if (!api || !client) return null;
    const subject = subjectOf(snapshot, question);
    if (subject === null) return null;
    const { authMethodId, person } = await comingBy(db, question, methodsOf(api, subject));
    const walk = { ...question, authMethodId, person, client, subject, db };
    return { ...(await walkChecks(snapshot, walk)), authMethodId, personId: person?.personId ?? null };
  });
}

/** Returns the subject of an exchange. Null: unknown client or API; undefined: the grant is no exchange. */
function subjectOf({ apis, clients }: Snapshot, { grant, subject }: ExplanationAsked) {
  if (grant !== TOKEN_EXCHANGE || subject === undefined) return undefined;
  const [api, client] = [apis.get(subject.apiId), clients.get(subject.clientId)];
  return api && client ? { api, client, actor: subject.actor } : null;
}

/** Returns the sign-in methods of the API. The methods that the subject token’s API also has come first. */
function methodsOf({ authMethods }: SnapshotApi, subject: Subject | undefined): readonly string[] {
  const both = authMethods.filter((id) => subject?.api.authMethods.includes(id) ?? true);
  return both.length > 0 ? both : authMethods;
}

type PersonComing = { authMethodId: string | null; person: PersonAtMethod | null };

/** Finds the named method, or the API's first method that the user can use. */
async function comingBy(
  db: Db,
  { whose, authMethodId }: ExplanationAsked,
  methods: readonly string[],
): Promise<PersonComing> {
  const named = authMethodId ?? methods[0] ?? null;
  if (whose === 'machine') return { authMethodId: named, person: null };
  let personAtMethod: PersonAtMethod | null = null;
  for (const methodId of authMethodId === null ? methods : [authMethodId]) {
    const person = await findPersonAtMethod(db, whose, methodId);
    if (person?.signsIn) return { authMethodId: methodId, person };
    personAtMethod ??= person;
  }
  return { authMethodId: named, person: personAtMethod };
}

type Walk = Omit<ExplanationAsked, 'subject'> &
  PersonComing & { client: SnapshotClient; subject: Subject | undefined; db: Db };
type Walked = Pick<Explanation, 'steps' | 'token'>;

async function walkChecks(snapshot: Snapshot, walk: Walk): Promise<Walked> {
  const { apiId, authMethodId, whose, grant } = walk;
  const checks = CHECKS[whose === 'machine' ? 'machine' : grant];
  const steps: ExplainedStep[] = [];
  const walkedTo = (end: number) => [
    ...checks
      .slice(0, end)
      .map((step) => steps.find((explainedStep) => explainedStep.step === step) ?? { step, ok: true }),
    ...steps.filter(({ step }) => !checks.includes(step)),
  ];
  try {
    const issuer = findIssuer(snapshot, { apiId, authMethodId: authMethodId ?? '' });
    const token = whose === 'machine' ? machineToken(issuer, walk) : await TOKENS[grant](steps, issuer, walk);
    return { steps: walkedTo(checks.length), token };
  } catch (error) {
    const last = refusedStep(error);
    const at = checks.indexOf(last.step);
    // the checks run in the order of `checks`, several of them in one function: each check before the
    // rejected check has passed
    return { steps: [...walkedTo(at < 0 ? checks.length : at), last], token: null };
  }
}

/** For each grant: the checks that do not depend on the user, in order. They run first. */
const CHECKS: Readonly<Record<'machine' | PersonGrant, readonly StepName[]>> = {
  machine: ['auth_method', 'client', 'subscription', 'machine', 'scope'],
  [AUTHORIZATION_CODE]: ['auth_method', 'client', 'redirect_uri', 'subscription', 'scope'],
  [PASSWORD]: ['auth_method', 'client', 'subscription', 'grant', 'scope'],
  [DEVICE_CODE]: ['auth_method', 'client', 'grant', 'subscription', 'scope'],
  [REFRESH_TOKEN]: ['auth_method', 'client', 'subscription', 'scope'],
  [TOKEN_EXCHANGE]: [
    'auth_method',
    'client',
    'grant',
    'subscription',
    'subject_token',
    'second_factor',
    'scope',
  ],
};

type TokenOf = (told: ExplainedStep[], issuer: Issuer, walk: Walk) => Promise<Record<string, unknown>>;

const TOKENS: Readonly<Record<PersonGrant, TokenOf>> = {
  [AUTHORIZATION_CODE]: personToken,
  [PASSWORD]: passwordToken,
  [DEVICE_CODE]: deviceToken,
  [REFRESH_TOKEN]: (steps, issuer, walk) => refreshedToken(steps, issuer, walk, walk.db),
  // without a named subject, the client's own token at this API is the subject
  [TOKEN_EXCHANGE]: (steps, issuer, walk) => {
    const { client, subject = { client, api: issuer.api, actor: false } } = walk;
    return exchangedToken(steps, issuer, walk, subject);
  },
};

/** Runs the checks of the token endpoint (token.ts) and of the client credentials grant. */
function machineToken(issuer: Issuer, { client, scope }: Walk): Record<string, unknown> {
  requireEnabled(client);
  requireProfiledClient(issuer.api, client);
  const subscription = requireSubscription(issuer.api, client);
  const scopes = machineScopes(scope, { issuer, client: asAuthenticated(client), subscription });
  return machineTokenPayload({ issuer: issuer.url, api: issuer.api, clientId: client.clientId, scopes });
}
