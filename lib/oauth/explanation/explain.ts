// What would happen if this client asked for this API, step by step, by the functions that the authorize and token
// addresses call. Nothing is given, and nothing is written.
import type { Db } from '#lib/store/database/prisma.ts';
import { findPersonAtMethod, type PersonAtMethod } from '#lib/store/people/person-at-method.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { Snapshot, SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { machineTokenPayload } from '#lib/tokens/access-token.ts';
import { onCurrentRegistry } from '../authorize-request/current-registry.ts';
import { authenticated } from '../clients/authenticated-client.ts';
import { requireSubscription } from '../clients/client.ts';
import { machineScopes } from '../grants/client-credentials.ts';
import {
  AUTHORIZATION_CODE,
  DEVICE_CODE,
  PASSWORD,
  REFRESH_TOKEN,
  TOKEN_EXCHANGE,
} from '../rules/grant-types.ts';
import { findIssuer, type Issuer } from '../rules/issuer.ts';
import { requireProfiledClient } from '../rules/profile.ts';
import { deviceToken, personToken } from './person-token.ts';
import { type ExplainedStep, refusedStep, requireEnabled, type StepName } from './steps.ts';
import { exchangedToken, passwordToken, refreshedToken, type Subject } from './token-grants.ts';

export type ExplanationAsked = {
  clientId: string;
  apiId: string;
  /** whose token it would be; `machine`: the client's own (RFC 6749 §4.4) */
  whose: { id: string } | { email: string } | 'machine';
  /** null: the first of the API's that the person signs in by */
  authMethodId: string | null;
  /** as it would be sent; undefined: it is left out */
  scope: string | undefined;
  /** of a person's token */
  grant: PersonGrant;
  /** of an exchange: the token that is exchanged */
  subject?: { clientId: string; apiId: string; actor: boolean };
};

/** How a person's token is asked for. */
export const PERSON_GRANTS = [
  AUTHORIZATION_CODE,
  PASSWORD,
  REFRESH_TOKEN,
  TOKEN_EXCHANGE,
  DEVICE_CODE,
] as const;
export type PersonGrant = (typeof PERSON_GRANTS)[number];

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
    const subject = subjectOf(snapshot, asked);
    if (subject === null) return null;
    const { authMethodId, person } = await comingBy(db, asked, methodsOf(api, subject));
    const walk = { ...asked, authMethodId, person, client, subject, db };
    return { ...(await walked(snapshot, walk)), authMethodId, personId: person?.personId ?? null };
  });
}

/** Null: its client or its API is not there; undefined: nothing is exchanged. */
function subjectOf({ apis, clients }: Snapshot, { grant, subject }: ExplanationAsked) {
  if (grant !== TOKEN_EXCHANGE || subject === undefined) return undefined;
  const [api, client] = [apis.get(subject.apiId), clients.get(subject.clientId)];
  return api && client ? { api, client, actor: subject.actor } : null;
}

/** By which a person comes; those that the subject token may be of come first. */
function methodsOf({ authMethods }: SnapshotApi, subject: Subject | undefined): readonly string[] {
  const both = authMethods.filter((id) => subject?.api.authMethods.includes(id) ?? true);
  return both.length > 0 ? both : authMethods;
}

type Coming = { authMethodId: string | null; person: PersonAtMethod | null };

/** The method that was named, or the first of the API's by which the person signs in. */
async function comingBy(
  db: Db,
  { whose, authMethodId }: ExplanationAsked,
  methods: readonly string[],
): Promise<Coming> {
  const named = authMethodId ?? methods[0] ?? null;
  if (whose === 'machine') return { authMethodId: named, person: null };
  let known: PersonAtMethod | null = null;
  for (const one of authMethodId === null ? methods : [authMethodId]) {
    const person = await findPersonAtMethod(db, whose, one);
    if (person?.signsIn) return { authMethodId: one, person };
    known ??= person;
  }
  return { authMethodId: named, person: known };
}

type Walk = Omit<ExplanationAsked, 'subject'> &
  Coming & { client: SnapshotClient; subject: Subject | undefined; db: Db };
type Walked = Pick<Explanation, 'steps' | 'token'>;

async function walked(snapshot: Snapshot, walk: Walk): Promise<Walked> {
  const { apiId, authMethodId, whose, grant } = walk;
  const checks = CHECKS[whose === 'machine' ? 'machine' : grant];
  const told: ExplainedStep[] = [];
  const walkedTo = (end: number) => [
    ...checks.slice(0, end).map((step) => told.find((one) => one.step === step) ?? { step, ok: true }),
    ...told.filter(({ step }) => !checks.includes(step)),
  ];
  try {
    const issuer = findIssuer(snapshot, { apiId, authMethodId: authMethodId ?? '' });
    const token = whose === 'machine' ? machineToken(issuer, walk) : await TOKENS[grant](told, issuer, walk);
    return { steps: walkedTo(checks.length), token };
  } catch (error) {
    const last = refusedStep(error);
    const at = checks.indexOf(last.step);
    // one function checks several, so those before the one that it refused hold
    return { steps: [...walkedTo(at < 0 ? checks.length : at), last], token: null };
  }
}

/** What is checked before the person counts, in this order. */
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
  [REFRESH_TOKEN]: (told, issuer, walk) => refreshedToken(told, issuer, walk, walk.db),
  // without another token the client exchanges one of its own at this API
  [TOKEN_EXCHANGE]: (told, issuer, walk) => {
    const { client, subject = { client, api: issuer.api, actor: false } } = walk;
    return exchangedToken(told, issuer, walk, subject);
  },
};

/** The checks of the token address (endpoints/token.ts), and of its grant. */
function machineToken(issuer: Issuer, { client, scope }: Walk): Record<string, unknown> {
  requireEnabled(client);
  requireProfiledClient(issuer.api, client);
  const subscription = requireSubscription(issuer.api, client);
  const scopes = machineScopes(scope, { issuer, client: authenticated(client), subscription });
  return machineTokenPayload({ issuer: issuer.url, api: issuer.api, clientId: client.clientId, scopes });
}
