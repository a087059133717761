// What would happen if this client asked for this API, step by step, by the functions that the authorize and token
// addresses call. Nothing is given, and nothing is written.
import {
  currentSnapshot,
  type Db,
  findPersonAtMethod,
  type PersonAtMethod,
  type Snapshot,
  type SnapshotApi,
  type SnapshotClient,
} from '#lib/store/index.ts';
import { machineTokenPayload } from '#lib/tokens/index.ts';
import { onCurrentRegistry } from '../authorize-request/index.ts';
import { requireSubscription } from '../clients/index.ts';
import { InvalidClient } from '../errors/index.ts';
import { machineScopes } from '../grants/index.ts';
import { findIssuer, type Issuer } from '../rules/index.ts';
import { personToken } from './person-token.ts';
import { type ExplainedStep, refusedStep, type StepName } from './steps.ts';

export type ExplanationAsked = {
  clientId: string;
  apiId: string;
  /** whose token it would be; `machine`: the client's own (RFC 6749 §4.4) */
  whose: { id: string } | { email: string } | 'machine';
  /** null: the first of the API's that the person signs in by */
  authMethodId: string | null;
  /** as it would be sent; undefined: it is left out */
  scope: string | undefined;
};

export type Explanation = {
  steps: ExplainedStep[];
  authMethodId: string | null;
  /** null: no person is known here by it, or it is the client's own */
  personId: string | null;
  /** the claims of the access token, but for its `jti`; null: none is given */
  token: Record<string, unknown> | null;
};

/** Null: there is no such client or API. */
export function explainRequest(db: Db, asked: ExplanationAsked): Promise<Explanation | null> {
  const use = { read: currentSnapshot, clientId: () => Promise.resolve(null) };
  return onCurrentRegistry(use, async (snapshot) => {
    const [api, client] = [snapshot.apis.get(asked.apiId), snapshot.clients.get(asked.clientId)];
    if (!api || !client) return null;
    const { authMethodId, person } = await comingBy(db, asked, api);
    const walk = { ...asked, authMethodId, person, client, api };
    return { ...(await walked(snapshot, walk)), authMethodId, personId: person?.personId ?? null };
  });
}

type Coming = { authMethodId: string | null; person: PersonAtMethod | null };

/** The method that was named, or the first of the API's by which the person signs in. */
async function comingBy(
  db: Db,
  { whose, authMethodId }: ExplanationAsked,
  api: SnapshotApi,
): Promise<Coming> {
  const named = authMethodId ?? api.authMethods[0] ?? null;
  if (whose === 'machine') return { authMethodId: named, person: null };
  let known: PersonAtMethod | null = null;
  for (const one of authMethodId === null ? api.authMethods : [authMethodId]) {
    const person = await findPersonAtMethod(db, whose, one);
    if (person?.signsIn) return { authMethodId: one, person };
    known ??= person;
  }
  return { authMethodId: named, person: known };
}

type Walk = ExplanationAsked & Coming & { client: SnapshotClient; api: SnapshotApi };
type Walked = Pick<Explanation, 'steps' | 'token'>;

async function walked(snapshot: Snapshot, asked: Walk): Promise<Walked> {
  const { api, authMethodId, whose, client, person, scope } = asked;
  const checks = CHECKS[whose === 'machine' ? 'machine' : 'person'];
  const told: ExplainedStep[] = [];
  const walkedTo = (end: number) => [
    ...checks.slice(0, end).map((step) => told.find((one) => one.step === step) ?? { step, ok: true }),
    ...told.filter(({ step }) => !checks.includes(step)),
  ];
  try {
    const issuer = findIssuer(snapshot, { apiId: api.id, authMethodId: authMethodId ?? '' });
    const token =
      whose === 'machine'
        ? machineToken(issuer, asked)
        : await personToken(told, issuer, { client, person, scope });
    return { steps: walkedTo(checks.length), token };
  } catch (error) {
    const last = refusedStep(error);
    const at = checks.indexOf(last.step);
    // one function checks several, so those before the one that it refused hold
    return { steps: [...walkedTo(at < 0 ? checks.length : at), last], token: null };
  }
}

/** What is checked before the person counts, in this order. */
const CHECKS: Readonly<Record<'machine' | 'person', readonly StepName[]>> = {
  machine: ['auth_method', 'client', 'subscription', 'machine', 'scope'],
  person: ['auth_method', 'client', 'redirect_uri', 'subscription', 'scope'],
};

/** The checks of the token address (endpoints/token.ts), and of its grant. */
function machineToken(issuer: Issuer, { client, scope }: Walk): Record<string, unknown> {
  if (client.disabled) throw new InvalidClient('The client is disabled.', { reason: 'client-disabled' });
  const subscription = requireSubscription(issuer.api, client);
  const scopes = machineScopes(scope, { issuer, client, subscription });
  return machineTokenPayload({ issuer: issuer.url, api: issuer.api, clientId: client.clientId, scopes });
}
