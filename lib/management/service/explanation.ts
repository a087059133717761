// Why a client would get a token of an API, or would not: the walk of lib/oauth, in words. An administrator may ask for
// any person, which is noted; everyone else for themselves, and for the client in its own name. Developers ask about
// their own clients, and those who decide for an API about each that has a subscription to it.
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
import { type ExplanationAsked, explainRequest, PERSON_GRANTS } from '#lib/oauth/explanation/explain.ts';
import type { ApiRow } from '#lib/registry/objects/api.ts';
import { findApi } from '#lib/store/registry/apis.ts';
import { findSubscription } from '#lib/store/registry/subscriptions.ts';
import type { Pair } from '../core/consequences.ts';
import { type Context, operation } from '../core/operation.ts';
import { isDeciderOf, mayDo, requireAction } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, Refused } from '../core/refused.ts';
import { findByRef } from '../people/people.ts';
import { reachClient } from '../registry/client-access.ts';
import { type StepTold, stepWords } from './explanation-words.ts';

/** A token of the client's own. */
const MACHINE_GRANT = 'client_credentials';

export const EXPLAINED_GRANTS = [...PERSON_GRANTS, MACHINE_GRANT] as const;

export type AccessExplanation = {
  steps: StepTold[];
  /** the method that the steps are of */
  authMethodId: string | null;
  /** the claims of the access token, not signed; left out: a step does not hold */
  token?: Record<string, unknown>;
};

export type ExplanationInput = {
  clientId: string;
  api: string;
  /** whose token it would be, by address, user name, id or kept subject; left out: the client's own */
  email?: string | undefined;
  /** the caller themselves, who may have no address */
  mine?: boolean | undefined;
  authMethod?: string | undefined;
  scope?: string | undefined;
  /** left out: of a person the one after a sign-in; no person: client credentials */
  grantType?: (typeof EXPLAINED_GRANTS)[number] | undefined;
  /** of an exchange, the token that is exchanged: its API and its client; left out: the same */
  subjectApi?: string | undefined;
  subjectClientId?: string | undefined;
  /** of an exchange: the client names itself as the actor, by a token of its own (delegation) */
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
    const made = await explainRequest(context.db, asked);
    if (made === null) throw new Refused('api.unknown', { api });
    const { steps, authMethodId, personId, token } = made;
    const { actor } = context;
    if (personId !== null && !(actor.kind === 'person' && actor.id === personId))
      await record(actor, { event: 'person.explained', personId, clientId, apiId: api, details: {} });
    return { steps: steps.map(stepWords), authMethodId, ...(token && { token }) };
  },
);

/** An API about whose clients this actor may ask. */
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

/** Forbidden for another person without the right to read people. */
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
  // an address may be that of an identity at a sign-in method
  return email.includes('@') ? { email } : { id: (await findByRef(db, { id: email })).id };
}
