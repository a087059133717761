// Carries out the changes of the plan by the operations of lib/management, within the transaction of `apply`.
import { CONFIGURATION } from '#lib/management/core/policy.ts';
import { changeGroup, createGroup, deleteGroup } from '#lib/management/groups/groups.ts';
import { setPersonGroups } from '#lib/management/groups/members.ts';
import {
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  grantRole,
  revokeRole,
  setPassword,
} from '#lib/management/people/people.ts';
import { changePerson } from '#lib/management/people/people-view.ts';
import { changeApi, createApi, deleteApi } from '#lib/management/registry/apis.ts';
import { changeClient } from '#lib/management/registry/client-change.ts';
import { deleteClient } from '#lib/management/registry/client-deletion.ts';
import { createClient, disableClient, enableClient } from '#lib/management/registry/clients.ts';
import { changeAuthMethod, createAuthMethod, deleteAuthMethod } from '#lib/management/registry/methods.ts';
import { settleSubscription } from '#lib/management/subscriptions/configured-subscriptions.ts';
import type { ClientValues } from '#lib/registry/clients/client.ts';
import type { AuthMethodType } from '#lib/registry/methods/kinds.ts';
import { methodCan, methodKind } from '#lib/registry/methods/questions.ts';
import type { ApiValues } from '#lib/registry/objects/api.ts';
import type { GroupValues } from '#lib/registry/objects/group.ts';
import type { Role } from '#lib/registry/objects/person.ts';
import { termsOfColumns } from '#lib/registry/objects/subscription.ts';
import type { Powers, SubscriptionState } from '#lib/registry/objects/subscription-states.ts';
import type { ConfiguredSecret } from '#lib/store/registry/client-secrets.ts';
import type { ConfigurationFile } from './file/schema.ts';
import { configOf } from './items.ts';
import type { Fields, PlannedChange } from './plan.ts';

export type Wanted = {
  groups: ReadonlyMap<string, GroupValues>;
  apis: ReadonlyMap<string, ApiValues>;
  clients: ReadonlyMap<string, ClientValues>;
  /** plain, by `type id` */
  secrets: ReadonlyMap<string, string>;
};

export const wantedOf = (file: ConfigurationFile, secrets: ReadonlyMap<string, string>): Wanted => ({
  groups: new Map(file.groups.map((group) => [group.id, group])),
  apis: new Map(file.apis.map(({ values }) => [values.id, values])),
  clients: new Map(file.clients.map(({ values }) => [values.clientId, values])),
  secrets,
});

type PlannedStep = { change: PlannedChange; run: () => Promise<void> };

/**
 * The steps of all changes, in this order: what makes room for others goes, then everything is created and changed,
 * then what would be refused as the last of its kind goes: local methods that become others, people's rights, people,
 * methods.
 */
export function inOrder(changes: readonly PlannedChange[], wanted: Wanted): PlannedStep[] {
  const step = (change: PlannedChange): PlannedStep => ({ change, run: () => applyChange(change, wanted) });
  // a group that an API of before names goes after the API was changed
  const isLast = ({ type }: PlannedChange) => ['user', 'auth_method', 'group'].includes(type);
  const wasLocal = ({ type, before }: PlannedChange) =>
    type === 'auth_method' && methodCan({ type: String(before?.fields.type) }, 'hasAccounts');
  const removals = changes.filter(({ kind }) => kind === 'remove');
  const others = changes.filter(({ kind }) => kind !== 'remove');
  const people = others.filter(({ type }) => type === 'user');
  return [
    ...removals.filter((change) => !isLast(change)).map(step),
    ...others.filter((change) => !wasLocal(change)).map(step),
    ...others.filter(wasLocal).map(step),
    ...people.map((change): PlannedStep => ({ change, run: () => takeRights(change) })),
    ...removals.filter(isLast).map(step),
  ];
}

async function applyChange(change: PlannedChange, wanted: Wanted): Promise<void> {
  // an unchanged secret is not written again
  const secret = (key: string) =>
    change.changed.includes(key) ? wanted.secrets.get(`${change.type} ${change.id}`) : undefined;
  switch (change.type) {
    case 'auth_method':
      return applyMethod(change, secret);
    case 'group':
      return applyGroup(change, wanted.groups.get(change.id));
    case 'api':
      return applyApi(change, wanted.apis.get(change.id), secret('introspection_secret'));
    case 'client':
      return applyClient(change, wanted.clients.get(change.id), configuredSecret(secret));
    case 'user':
      return applyPerson(change, secret('password'));
    case 'subscription':
      return applySubscription(change);
  }
}

async function applyMethod(
  { kind, id, after }: PlannedChange,
  secretOf: (key: string) => string | undefined,
): Promise<void> {
  if (after === null) return deleteAuthMethod(CONFIGURATION, { id });
  const { secret } = methodKind(after.fields.type as AuthMethodType);
  const method = methodInput(id, after.fields, secret === null ? undefined : secretOf(secret.key));
  if (kind === 'create') await createAuthMethod(CONFIGURATION, method);
  else await changeAuthMethod(CONFIGURATION, method);
}

/** What the operation on a method takes, of its fields. */
export function methodInput(id: string, fields: Fields, secret: string | undefined) {
  const { type, name } = fields as { type: AuthMethodType; name: string };
  return { id, type, name, config: configOf(fields), secret };
}

async function applyGroup({ kind, id }: PlannedChange, group: GroupValues | undefined): Promise<void> {
  if (!group) return deleteGroup(CONFIGURATION, { id });
  if (kind === 'create') await createGroup(CONFIGURATION, group);
  else await changeGroup(CONFIGURATION, group);
}

async function applyApi(
  { kind, id, before }: PlannedChange,
  api: ApiValues | undefined,
  secret?: string,
): Promise<void> {
  if (!api) return deleteApi(CONFIGURATION, { id });
  if (kind === 'create') await createApi(CONFIGURATION, api, { introspectionSecret: secret });
  else
    await changeApi(CONFIGURATION, api, {
      introspectionSecret: secret,
      before: {
        url: String(before?.fields.url),
        issuerHosts: hostsOf(before),
        formerIssuers: formersOf(before),
      },
    });
}

const formersOf = (item: PlannedChange['before']) =>
  (item?.fields.former_issuers ?? null) as ApiValues['formerIssuers'];

const hostsOf = (item: PlannedChange['before']) =>
  (item?.fields.issuer_hosts ?? null) as ApiValues['issuerHosts'];

function configuredSecret(secretOf: (key: string) => string | undefined): ConfiguredSecret | undefined {
  const [plain, kept] = [secretOf('client_secret'), secretOf('client_secret_hash')];
  if (kept !== undefined) return { kept };
  return plain === undefined ? undefined : { plain };
}

async function applyClient(
  { kind, id: clientId, after }: PlannedChange,
  client: ClientValues | undefined,
  secret: ConfiguredSecret | undefined,
): Promise<void> {
  if (!client) return deleteClient(CONFIGURATION, { clientId });
  if (kind === 'create') await createClient(CONFIGURATION, client, secret);
  else await changeClient(CONFIGURATION, client, secret);
  const disabled = after?.fields.disabled;
  if (disabled === true) await disableClient(CONFIGURATION, { clientId });
  if (disabled === false) await enableClient(CONFIGURATION, { clientId });
}

async function applyPerson(
  { kind, id: email, changed, before, after }: PlannedChange,
  password?: string,
): Promise<void> {
  if (after === null) return deletePerson(CONFIGURATION, { email });
  const { name, roles, disabled } = after.fields as { name?: string; roles: Role[]; disabled?: boolean };
  const hash = after.secrets.password;
  if (kind === 'create') {
    await createPerson(CONFIGURATION, { email, name, roles: disabled ? [] : roles, password }, hash);
    if (disabled) {
      await disablePerson(CONFIGURATION, { email });
      for (const role of roles) await grantRole(CONFIGURATION, { email, role });
    }
  } else {
    const had = (before?.fields.roles ?? []) as Role[];
    if (changed.includes('name') && name !== undefined)
      await changePerson(CONFIGURATION, { id: email, name });
    for (const role of roles.filter((one) => !had.includes(one)))
      await grantRole(CONFIGURATION, { email, role });
    if (password !== undefined) await setPassword(CONFIGURATION, { email, password }, hash);
  }
  if (changed.includes('groups')) {
    const groups = after.fields.groups as string[];
    await setPersonGroups(CONFIGURATION, { id: email, groups });
  }
  if (changed.includes('email_verified'))
    await changePerson(CONFIGURATION, { id: email, emailVerified: true });
  if (disabled === false) await enablePerson(CONFIGURATION, { email });
}

/** After all roles are granted, so that another administrator exists before one is removed. */
async function takeRights({ id: email, before, after }: PlannedChange): Promise<void> {
  const { roles, disabled } = (after?.fields ?? {}) as { roles: Role[]; disabled?: boolean };
  const had = (before?.fields.roles ?? []) as Role[];
  for (const role of had.filter((one) => !roles.includes(one)))
    await revokeRole(CONFIGURATION, { email, role });
  if (disabled === true) await disablePerson(CONFIGURATION, { email });
}

async function applySubscription({ before, after }: PlannedChange): Promise<void> {
  const item = after ?? before;
  if (!item) return;
  const {
    client_id: clientId,
    api,
    ...settled
  } = item.fields as {
    client_id: string;
    api: string;
    state: SubscriptionState;
    scopes: string[];
  } & Powers;
  const approvedBy = after?.approvedBy ?? null;
  await settleSubscription(
    CONFIGURATION,
    { clientId, api },
    after === null ? null : { ...settled, ...termsOfColumns(item.fields), approvedBy },
    (before?.fields.state ?? null) as SubscriptionState | null,
  );
}
