// What the verbs of people, clients and subscriptions do: on this host, as its operator, or at a service elsewhere by
// its management API (remote.ts).
import {
  type Actor,
  createClient,
  createPerson,
  type Decision,
  decideSubscription,
  disableClient,
  disablePerson,
  enableClient,
  enablePerson,
  findPerson,
  grantRole,
  listClients,
  listPeople,
  listSubscriptions,
  type NewClient,
  OPERATOR,
  Refused,
  requestSubscription,
  revokeRole,
  rotateClientSecret,
  setPassword,
} from '#lib/management/index.ts';
import { WrongUsage } from './wrong-usage.ts';

export type Pair = { clientId: string; api: string };
/** Rows for a table; `json` is what --json prints. */
export type Listing<Row> = { rows: Row[]; json: unknown };
export type PersonLine = {
  email: string | null;
  id: string;
  name: string;
  roles: string[];
  disabled: boolean;
};
export type ClientLine = {
  clientId: string;
  name: string;
  kind: string;
  /** living ones; null: not told in a list */
  secrets: number | null;
  disabled: boolean;
  owner: string | null;
};
export type SubscriptionLine = Pair & {
  state: string;
  trusted: boolean;
  scopes: string[];
  decidedBy: string | null;
  reason: string | null;
};
export type NewPerson = { email: string; name?: string | undefined; roles: string[]; password: string };
/** `by`: the address of whoever asks or decides */
export type By = { by: string | undefined };

export type Operations = {
  createPerson(person: NewPerson): Promise<{ email: string }>;
  listPeople(): Promise<Listing<PersonLine>>;
  disablePerson(email: string): Promise<void>;
  enablePerson(email: string): Promise<void>;
  setPassword(email: string, password: string): Promise<void>;
  grantRole(email: string, role: string): Promise<void>;
  revokeRole(email: string, role: string): Promise<void>;
  createClient(client: NewClient): Promise<{ clientId: string; secret: string | null }>;
  listClients(): Promise<Listing<ClientLine>>;
  disableClient(clientId: string): Promise<void>;
  enableClient(clientId: string): Promise<void>;
  rotateClientSecret(clientId: string, overlapSeconds: number): Promise<{ secret: string }>;
  listSubscriptions(): Promise<Listing<SubscriptionLine>>;
  requestSubscription(
    asked: Pair & By & { trusted: boolean; scopes: string[]; message: string },
  ): Promise<string>;
  decideSubscription(decision: Pair & By & { action: Decision; reason: string | undefined }): Promise<string>;
};

export const localOperations: Operations = {
  createPerson: (person) => createPerson(OPERATOR, person),
  listPeople: async () => {
    const rows = await listPeople(OPERATOR);
    return { rows, json: rows };
  },
  disablePerson: (email) => disablePerson(OPERATOR, { email }),
  enablePerson: (email) => enablePerson(OPERATOR, { email }),
  setPassword: (email, password) => setPassword(OPERATOR, { email, password }),
  grantRole: (email, role) => grantRole(OPERATOR, { email, role }),
  revokeRole: (email, role) => revokeRole(OPERATOR, { email, role }),
  createClient: (client) => createClient(OPERATOR, client),
  listClients: async () => {
    const json = await listClients(OPERATOR);
    const rows = json.map((one) => ({
      clientId: one.client_id,
      name: one.client_name,
      kind: one.confidential ? 'confidential' : one.application_type,
      secrets: one.confidential ? one.secrets.length : null,
      disabled: one.disabled,
      owner: one.owner,
    }));
    return { rows, json };
  },
  disableClient: (clientId) => disableClient(OPERATOR, { clientId }),
  enableClient: (clientId) => enableClient(OPERATOR, { clientId }),
  rotateClientSecret: (clientId, overlapSeconds) =>
    rotateClientSecret(OPERATOR, { clientId, overlapSeconds }),
  listSubscriptions: async () => {
    const json = await listSubscriptions(OPERATOR);
    const rows = json.map(({ client_id: clientId, decided_by_email: decidedBy, ...one }) => ({
      ...one,
      clientId,
      decidedBy,
    }));
    return { rows, json };
  },
  requestSubscription: async ({ by, ...asked }) => requestSubscription(await actorOf(by), asked),
  decideSubscription: async ({ by, ...decision }) => decideSubscription(await actorOf(by), decision),
};

async function actorOf(email: string | undefined): Promise<Actor> {
  if (email === undefined) throw new WrongUsage('--by is missing: it names who asks or decides');
  const person = await findPerson(OPERATOR, { email });
  if (!person?.email) throw new Refused(`there is no ${email}`);
  if (person.disabled) throw new Refused(`${email} is disabled`);
  const { id, roles } = person;
  return { kind: 'person', id, email: person.email, roles, signedInAt: null, request: null };
}
