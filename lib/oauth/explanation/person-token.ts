// The checks of the authorize address (authorize/handler.ts) for a person who has just signed in for this request, and
// the claims of the token that its code would give.
import { parseForm } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { randomToken } from '#lib/kit/random.ts';
import { asksGroups } from '#lib/registry/objects/api-groups.ts';
import { settings } from '#lib/settings/settings.ts';
import type { PersonAtMethod } from '#lib/store/people/person-at-method.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { authorize, type SignedIn } from '#lib/store/tokens/authorize.ts';
import { accessTokenPayload } from '#lib/tokens/access-token.ts';
import { mint } from '#lib/tokens/formats.ts';
import { type AuthorizeQuestion, askingOf, decideAuthorize } from '../authorize-request/decide.ts';
import { forPerson } from '../authorize-request/for-person.ts';
import { allowance } from '../authorize-request/interaction.ts';
import { type AuthorizeRequest, identify, validate } from '../authorize-request/request.ts';
import { strengthAsked } from '../authorize-request/second-factor.ts';
import { personDenied } from '../clients/client.ts';
import { deviceReturn, requestOfDevice } from '../device/ask.ts';
import { findGrant } from '../grants/grant-table.ts';
import { accessClaims } from '../grants/response.ts';
import { DEVICE_CODE } from '../rules/grant-types.ts';
import type { Issuer } from '../rules/issuer.ts';
import { challengeOf } from '../rules/pkce.ts';
import { issuerUnread, ruleFor } from '../unregistered/resolve-client.ts';
import { AnsweredByPage, type ExplainedStep, requireEnabled } from './steps.ts';

type Coming = { client: SnapshotClient; person: PersonAtMethod | null; scope: string | undefined };
type Claims = Record<string, unknown>;

/**
 * Adds to `told` the steps of the person, and one of the checks that has a note; throws the refusal of the first that
 * does not hold.
 */
export async function personToken(told: ExplainedStep[], called: Issuer, coming: Coming): Promise<Claims> {
  return payloadOf(await personSignedIn(told, called, coming));
}

export type Allowed = { request: AuthorizeRequest; facts: SignedIn; acrLevel: SignedIn['level'] | null };

/** With the code of a device (RFC 8628), which a person has typed. */
export async function deviceToken(told: ExplainedStep[], issuer: Issuer, coming: Coming): Promise<Claims> {
  const { client, scope } = coming;
  requireEnabled(client);
  findGrant(DEVICE_CODE, issuer);
  const values = new Map(scope === undefined ? [] : [['scope', scope]]);
  const of = { issuer, client, deviceCodeHash: mint('device').hash, jkt: null };
  const asked = { query: requestOfDevice({ values }, of), ownReturn: deviceReturn() };
  return payloadOf(await personSignedIn(told, issuer, coming, asked));
}

type Asked = { query: string; ownReturn: string | null };

/** The same, and what the code would give. */
export async function personSignedIn(
  told: ExplainedStep[],
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
    told.push({ step: 'subscription', ok: true, note: 'approved-by-rule' });
  }
  if (person !== null) request = await forPerson(request, person.personId);
  const question = questionOf(request);
  const facts = person?.signsIn ? await factsOf(question, person) : null;
  if (facts === null) throw new AnsweredByPage(whyAway(person));
  told.push({ step: 'person', ok: true });
  const { strength } = request;
  const known = decided(told, question, facts);
  if (ownReturn !== null) tellOfDevice(told);
  return { request, facts: known, acrLevel: strength.level !== null || known.level > 1 ? known.level : null };
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

/** The client as it is once a rule of the API has approved it; null: no rule does. */
function letInByRule({
  issuer: { api },
  client,
  scopes,
  scopeNamed,
}: AuthorizeRequest): SnapshotClient | null {
  const rule = ruleFor(api, client, { scopes, scopeNamed });
  if (rule === null) return null;
  const terms = { trusted: false, machine: false, device: false, restricted: false, maxDays: rule.max_days };
  const made = { apiId: api.id, state: 'approved', scopes: rule.scopes, ...terms } as const;
  return { ...client, subscriptions: [...client.subscriptions.filter((one) => one.apiId !== api.id), made] };
}

/** Only for the question: no session has this name. */
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
      // a client that must ask each time was asked
      allowed: allowance(SESSION, consentScopes),
    },
    expectedPersonId: null,
    graceDays: settings().secondFactorGraceDays,
  };
}

/** By the statement of the authorize address, without a code to issue: it only reads. Null: they are disabled. */
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

export const whyAway = (person: PersonAtMethod | null) =>
  person === null ? 'person-unknown' : person.disabled ? 'person-disabled' : 'person-other-method';

/** The facts once the person has done what they are asked to; throws where they may not. */
function decided(told: ExplainedStep[], question: AuthorizeQuestion, facts: SignedIn): SignedIn {
  const decision = decideAuthorize(question, facts, now());
  switch (decision.kind) {
    case 'confirm':
    case 'set-up': {
      const note = decision.kind === 'confirm' ? 'factor-asked' : (`factor-${decision.why}` as const);
      if (told.at(-1)?.step !== 'second_factor') told.push({ step: 'second_factor', ok: true, note });
      const skipped = decision.kind === 'set-up' && decision.why !== 'required';
      const proved = { level: decision.level, factorLevel: decision.level };
      const postponed = {
        ...question,
        interaction: question.interaction && { ...question.interaction, postponed: SESSION },
      };
      return skipped
        ? decided(told, postponed, { ...facts, inGrace: true })
        : decided(told, question, { ...facts, ...proved });
    }
    case 'refused':
      factorHolds(told);
      throw personDenied();
    case 'consent':
    case 'issue': {
      const { trusted, restricted } = question.request;
      factorHolds(told);
      if (restricted || asksGroups(question.request.issuer.api)) told.push({ step: 'claim', ok: true });
      const given = trusted ? 'trusted' : 'consent-given';
      told.push({ step: 'consent', ok: true, note: decision.kind === 'issue' ? given : 'consent-asked' });
      return facts;
    }
    case 'error':
      throw decision.error;
    default:
      throw new Error(`a person who has signed in is asked to ${decision.kind}`);
  }
}

/** Of a device the page asks each time, trusted or not. */
function tellOfDevice(told: ExplainedStep[]): void {
  const consent = told.find(({ step }) => step === 'consent');
  if (consent && consent.note !== 'consent-asked') consent.note = 'device-asked';
}

function factorHolds(told: ExplainedStep[]): void {
  if (told.at(-1)?.step !== 'second_factor') told.push({ step: 'second_factor', ok: true });
}

/** As the token address signs it. */
async function payloadOf({ request, facts, acrLevel }: Allowed): Promise<Claims> {
  const { issuer, client, scopes } = request;
  const { personId, authTime } = facts;
  // how they prove who they are is not known before
  const granted = { personId, scopes, authTime, acrLevel, amr: null };
  return accessTokenPayload(await accessClaims(granted, { issuer, client }));
}
