// Explains why a client gets a token for an API or not, with the checks of lib/oauth. Administrators can ask about
// any user, which is audited. Other actors can ask about themselves, or about tokens in the client's own name.
// Developers can ask about their own clients. Users who decide for an API can ask about the clients that are
// subscribed to it.
import { z } from 'zod';
import type { ApiRow } from '#lib/catalogue/apis/definition.ts';
import { findApi } from '#lib/catalogue/apis/rows.ts';
import { reachClient, SEE_CLIENT } from '#lib/catalogue/clients/access.ts';
import { findByRef } from '#lib/catalogue/people/operations.ts';
import { findSubscription } from '#lib/catalogue/subscriptions/rows.ts';
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
import type { Pair } from './consequences.ts';
import { refusalWords } from './inspector.ts';
import { type Context, one, operation } from './operations.ts';
import { isDeciderOf, mayDo, requireAction } from './policy.ts';
import { record } from './record.ts';
import { faulty, Refused, wrongAt } from './refused.ts';

// Texts of an explanation, by step: the reason and what to change. If the inspector has a text, that text is used.

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
    'Add the client’s redirect address. An API that requires redirect_uri also requires it in each request.',
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
    'Choose the method that the person uses, or let the person add this method on their account page.',
  ],
};

export const STEP_FAULTS: Partial<Record<ExplainedStep['step'], [reason: string, change: string]>> = {
  auth_method: [
    'The API does not have this sign-in method.',
    'Add the sign-in method to the API, or choose a method that the API accepts.',
  ],
  grant: [
    'This grant is not available.',
    'Use another grant: the method, the API or its profile does not offer this one.',
  ],
  refresh: [
    'None of the scopes of the refresh token is allowed any more.',
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
  /** cause of the failure, or the user's next step, followed by the client's error description */
  reason?: [EnglishSentence, description?: string];
  /** what to change so that the step succeeds */
  change?: EnglishSentence;
};

function stepWords({ step, ok, note, refusal }: ExplainedStep): StepTold {
  if (ok) return { step, ok, ...(note && { reason: [{ text: STEP_NOTES[note] }] }) };
  const { code = '', reason = null, description = '' } = refusal ?? {};
  const stepReason = ownValue(STEP_REASONS, reason ?? '');
  const [title, change] = stepReason ??
    (reason === null ? null : refusalWords(code, reason)) ??
    ownValue(STEP_FAULTS, step) ?? [description, null];
  // the error description for the client contains values of the request
  const isSaid = stepReason || description === '' || description === title;
  const reasonTexts: StepTold['reason'] = isSaid ? [{ text: title }] : [{ text: title }, description];
  return { step, ok, reason: reasonTexts, ...(change && { change: { text: change } }) };
}

/** The texts of a step in English, for programs. */
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

/** The grant for a token in the client's own name. */
const MACHINE_GRANT = 'client_credentials';

export const EXPLAINED_GRANTS = [...PERSON_GRANTS, MACHINE_GRANT] as const;

export type AccessExplanation = {
  steps: StepTold[];
  /** the method that these steps concern */
  authMethodId: string | null;
  /** claims of the access token, not signed; missing if a step fails */
  token?: Record<string, unknown>;
};

const explainedAccess = z.strictObject({
  steps: z.array(
    z.strictObject({
      step: z.string(),
      ok: z.boolean(),
      reason: z
        .string()
        .optional()
        .describe('the reason for a failure, or the action required from the person'),
      change: z.string().optional().describe('the change that would fix it'),
    }),
  ),
  authMethodId: z.string().nullable().describe('the sign-in method of the steps'),
  token: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('the claims of the access token, not signed; absent if a step fails'),
});
const explanationInEnglish = ({ steps, ...answer }: AccessExplanation) => ({
  ...answer,
  steps: steps.map(stepInEnglish),
});

const explanationInput = z.strictObject({
  clientId: z.string().max(300),
  api: z.string().max(100),
  mine: z.literal(true).optional().describe('the caller’s own token'),
  email: z
    .string()
    .max(320)
    .optional()
    .describe(
      'the person of the token, by address, user name, id or subject; default: a token in the client’s own name',
    ),
  authMethod: z
    .string()
    .max(100)
    .optional()
    .describe('default: the first method of the API that the person has'),
  scope: z.string().max(2000).optional().describe('as in the request'),
  grantType: z
    .enum(EXPLAINED_GRANTS)
    .optional()
    .describe('default: authorization_code with email, otherwise client_credentials'),
  subjectApi: z
    .string()
    .max(100)
    .optional()
    .describe('for a token exchange: the API of the subject token; default: the same API'),
  subjectClientId: z
    .string()
    .max(300)
    .optional()
    .describe(
      'for a token exchange: the client that the subject token was issued to; default: the same client',
    ),
  asActor: z.boolean().optional().describe('for a token exchange: the client is the actor (delegation)'),
});
type ExplanationInput = Omit<z.output<typeof explanationInput>, 'mine'> & { mine?: boolean | undefined };

export const explainAccess = operation(
  // a question about another user requires the right to read people
  {
    name: 'explainAccess',
    right: [...SEE_CLIENT, 'subscriptions.decide'],
    shape: explanationInput,
    output: one('Explanation', explainedAccess, explanationInEnglish),
  },
  async (context, input: ExplanationInput): Promise<AccessExplanation> => {
    const { clientId, api, authMethod = null, scope, grantType = 'authorization_code' } = input;
    await reachAsked(context, { clientId, api });
    const subject = await reachedSubject(context, input);
    const whose = await whoseToken(context, input);
    const grant = grantType === MACHINE_GRANT ? 'authorization_code' : grantType;
    const accessQuery = { clientId, apiId: api, whose, authMethodId: authMethod, scope, grant, subject };
    const explanation = await explainRequest(context.db, accessQuery);
    if (explanation === null) throw new Refused('api.unknown', { api });
    const { steps, authMethodId, personId, token } = explanation;
    const { actor } = context;
    if (personId !== null && !(actor.kind === 'person' && actor.id === personId))
      await record(actor, { event: 'person.explained', personId, clientId, apiId: api, details: {} });
    return { steps: steps.map(stepWords), authMethodId, ...(token && { token }) };
  },
);

/** Returns an API if this actor can ask about its clients. */
export const readDecidedApi = operation(
  { name: 'readDecidedApi', right: 'subscriptions.decide' },
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

/** Returns the user of the token, or `machine`. Another user than the actor requires the right to read people. */
async function whoseToken(
  { actor, db }: Context,
  { email, mine = false, grantType }: ExplanationInput,
): Promise<Whose> {
  if (grantType === MACHINE_GRANT) return 'machine';
  const me = actor.kind === 'person' ? actor : null;
  if (me && mine) return { id: me.id };
  if (email === undefined && grantType === undefined) return 'machine';
  if (email === undefined) throw faulty([wrongAt('email', 'input.faulty', { message: 'is missing' })]);
  if (me?.email && canonicalEmail(email) === canonicalEmail(me.email)) return { id: me.id };
  requireAction(actor, 'people.read');
  // a name that looks like an email address may be the name of an identity at a sign-in method
  return email.includes('@') ? { email } : { id: (await findByRef(db, { id: email })).id };
}
