// Explains why a client gets an API token or not, with the checks of lib/oauth. Administrators can query any user;
// such queries are audited. Other actors query themselves or the client’s machine access. Developers query their own
// clients; deciders query clients that are subscribed to their API.
import { canonicalEmail } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { asSentence, type EnglishSentence } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import {
  type ExplainedStep,
  type ExplanationAsked,
  explainRequest,
  type Note,
  PERSON_GRANTS,
} from '#lib/oauth/explanation.ts';
import type { ApiRow } from '#lib/registry/api.ts';
import { findApi } from '#lib/store/apis.ts';
import { findSubscription } from '#lib/store/subscriptions.ts';
import { reachClient } from './client-access.ts';
import type { Pair } from './consequences.ts';
import { refusalWords } from './inspector.ts';
import { type Context, operation } from './operations.ts';
import { findByRef } from './people.ts';
import { isDeciderOf, mayDo, requireAction } from './policy.ts';
import { record } from './record.ts';
import { faultAt, faulty, Refused } from './refused.ts';

// Texts of an explanation by step: reason and suggested change. Uses inspector texts if they exist.

export const STEP_NOTES: Record<Note, string> = {
  'approved-by-rule': 'A rule of the API approves the subscription when the person signs in.',
  'factor-asked': 'The person is asked for their second factor.',
  'factor-required': 'The person is asked to set up a second factor first.',
  'factor-grace': 'The person is asked to set up a second factor, and can postpone it.',
  'factor-offer': 'The person is offered a second factor, and can decline.',
  'consent-asked': 'The person is asked for consent.',
  'consent-given': 'The person has already consented.',
  'device-asked': 'The person is asked to confirm the device each time.',
  trusted: 'The subscription is trusted, so the person is not asked for consent.',
};

export const STEP_REASONS: Readonly<Record<string, [reason: string, change: string]>> = {
  'client-disabled': ['The client is disabled.', 'The owner or an administrator can enable the client.'],
  'no-redirect-uri': [
    'The client has no redirect address for the response.',
    'Add its redirect address. An API that requires redirect_uri also requires it in each request.',
  ],
  'comes-first': [
    'This client is not registered, and its approval is pending.',
    'The person signs in with the client once, which requests approval. An approver then decides.',
  ],
  'person-unknown': [
    'No person with this address has signed in.',
    'Check the spelling. Create or invite the person, or let them sign in once.',
  ],
  'refresh-none': [
    'The client has no refresh token of this person.',
    'The person must sign in with the client once. A browser client never gets a refresh token.',
  ],
  'person-disabled': ['The person is disabled.', 'An administrator can enable the person.'],
  'person-other-method': [
    'The person does not sign in with this method.',
    'Choose the method that the person uses, or let them add this one on their account page.',
  ],
};

export const STEP_FAULTS: Partial<Record<ExplainedStep['step'], [reason: string, change: string]>> = {
  auth_method: [
    'The API does not have this sign-in method.',
    'Add the method to the API, or choose one that the API has.',
  ],
  grant: [
    'This grant is not available.',
    'Use another grant: the method, the API or its profile does not offer this one.',
  ],
  refresh: [
    'None of its scopes is allowed any more.',
    'The person must sign in again, which requests the scopes that are allowed now.',
  ],
  subject_token: [
    'The token to exchange would not be issued.',
    'Check that token first, with its client and its API.',
  ],
  scope: ['The scope is not allowed.', 'Request scopes that the API has and the subscription allows.'],
  second_factor: [
    'The sign-in cannot reach the strength that the API requires.',
    'Allow second factors at the method or the API, or use a method with a sufficiently strong sign-in.',
  ],
  subscription: ['The subscription does not allow this.', 'Ask an approver of the API.'],
};

export type StepTold = {
  step: string;
  ok: boolean;
  /** reason for the failure or required user action; then the error description for the client */
  reason?: [EnglishSentence, description?: string];
  /** what would make it hold */
  change?: EnglishSentence;
};

function stepWords({ step, ok, note, refusal }: ExplainedStep): StepTold {
  if (ok) return { step, ok, ...(note && { reason: [{ text: STEP_NOTES[note] }] }) };
  const { code = '', reason = null, description = '' } = refusal ?? {};
  const own = ownValue(STEP_REASONS, reason ?? '');
  const [title, change] = own ??
    (reason === null ? null : refusalWords(code, reason)) ??
    ownValue(STEP_FAULTS, step) ?? [description, null];
  // the client’s error description includes request values
  const isSaid = own || description === '' || description === title;
  const told: StepTold['reason'] = isSaid ? [{ text: title }] : [{ text: title }, description];
  return { step, ok, reason: told, ...(change && { change: { text: change } }) };
}

/** The same for programs. */
export function stepInEnglish({ reason, change, ...step }: StepTold): StepInEnglish {
  const [title, description] = reason ?? [];
  const text = title && inEnglish(title);
  return {
    ...step,
    ...(text !== undefined && {
      reason: description === undefined ? text : `${asSentence(text)} ${description}`,
    }),
    ...(change && { change: inEnglish(change) }),
  };
}
type StepInEnglish = Pick<StepTold, 'step' | 'ok'> & { reason?: string; change?: string };

/** A token of the client's own. */
const MACHINE_GRANT = 'client_credentials';

export const EXPLAINED_GRANTS = [...PERSON_GRANTS, MACHINE_GRANT] as const;

export type AccessExplanation = {
  steps: StepTold[];
  /** method of these steps */
  authMethodId: string | null;
  /** unsigned access token claims; missing if a step fails */
  token?: Record<string, unknown>;
};

type ExplanationInput = {
  clientId: string;
  api: string;
  /** user of the token, by address, user name, id or kept subject; missing: the client itself */
  email?: string | undefined;
  /** the caller, possibly without address */
  mine?: boolean | undefined;
  authMethod?: string | undefined;
  scope?: string | undefined;
  /** default with a user: grant after sign-in; default without a user: client credentials */
  grantType?: (typeof EXPLAINED_GRANTS)[number] | undefined;
  /** token exchange: API and client of the subject token; default: this API and this client */
  subjectApi?: string | undefined;
  subjectClientId?: string | undefined;
  /** token exchange: the client is the actor, identified by its actor token (delegation) */
  asActor?: boolean | undefined;
};

export const explainAccess = operation(
  'explainAccess',
  async (context, input: ExplanationInput): Promise<AccessExplanation> => {
    const { clientId, api, authMethod = null, scope, grantType = 'authorization_code' } = input;
    await reachAsked(context, { clientId, api });
    const subject = await reachedSubject(context, input);
    const whose = await whoseToken(context, input);
    const grant = grantType === MACHINE_GRANT ? 'authorization_code' : grantType;
    const asked = { clientId, apiId: api, whose, authMethodId: authMethod, scope, grant, subject };
    const explanation = await explainRequest(context.db, asked);
    if (explanation === null) throw new Refused('api.unknown', { api });
    const { steps, authMethodId, personId, token } = explanation;
    const { actor } = context;
    if (personId !== null && !(actor.kind === 'person' && actor.id === personId))
      await record(actor, { event: 'person.explained', personId, clientId, apiId: api, details: {} });
    return { steps: steps.map(stepWords), authMethodId, ...(token && { token }) };
  },
);

/** Returns an API if this actor may query its clients. */
export const readDecidedApi = operation(
  'readDecidedApi',
  async ({ actor, db }, { id }: { id: string }): Promise<Pick<ApiRow, 'id' | 'name'>> => {
    const api = await findApi(db, id);
    if (!api || !isDeciderOf(actor, { api: id, approvers: api.approvers }))
      throw new Refused('api.unknown', { api: id }, { foreign: api !== null });
    return { id, name: api.name };
  },
);

async function reachAsked(context: Context, { clientId, api }: Pair): Promise<void> {
  const { actor, db } = context;
  const row = await findSubscription(db, clientId, api);
  if (row && isDeciderOf(actor, row)) return;
  if (mayDo(actor, 'subscriptions.decide') && !mayDo(actor, 'clients.see-own'))
    throw new Refused('subscription.unknown', { client: clientId, api }, { foreign: row !== null });
  await reachClient(context, clientId, 'see');
}

async function reachedSubject(context: Context, input: ExplanationInput) {
  const { clientId, api, subjectClientId = clientId, subjectApi = api, asActor: actor = false } = input;
  if (subjectClientId !== clientId || subjectApi !== api)
    await reachAsked(context, { clientId: subjectClientId, api: subjectApi });
  return { clientId: subjectClientId, apiId: subjectApi, actor };
}

type Whose = ExplanationAsked['whose'];

/** Rejects a query about another person if the actor may not read people. */
async function whoseToken(
  { actor, db }: Context,
  { email, mine = false, grantType }: ExplanationInput,
): Promise<Whose> {
  if (grantType === MACHINE_GRANT) return 'machine';
  const me = actor.kind === 'person' ? actor : null;
  if (me && mine) return { id: me.id };
  if (email === undefined && grantType === undefined) return 'machine';
  if (email === undefined) throw faulty([faultAt('email', 'input.faulty', { fault: 'is missing' })]);
  if (me?.email && canonicalEmail(email) === canonicalEmail(me.email)) return { id: me.id };
  requireAction(actor, 'people.read');
  // a name that looks like an email address can identify an identity of a sign-in method
  return email.includes('@') ? { email } : { id: (await findByRef(db, { id: email })).id };
}
