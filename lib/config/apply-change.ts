// Carries out one change of the plan, with its audit event, in apply's transaction.
import { type AuditEvent, record } from '#lib/audit/index.ts';
import { sha256 } from '#lib/kit/index.ts';
import { WHO_ANSWERS } from '#lib/management/index.ts';
import {
  type ApiValues,
  type ClientValues,
  type Db,
  dropClientSecrets,
  endTokens,
  findPersonByEmail,
  forgetIdentities,
  insertPerson,
  removeFromRegistry,
  removePerson,
  replaceCombinations,
  replaceScopes,
  sealForRow,
  setClientDisabled,
  setConfigSecret,
  setIntrospectionSecret,
  setPasswordHash,
  setPersonDisabled,
  setPersonName,
  setPersonRoles,
  upsertApi,
  upsertClient,
  upsertMethod,
} from '#lib/store/index.ts';
import { applySubscription } from './apply-subscription.ts';
import type { Change, Item } from './plan.ts';

type Values = Map<string, string>;

export async function applyChange(db: Db, change: Change, values: Values): Promise<void> {
  if (change.type === 'subscription') return applySubscription(db, change);
  if (change.kind === 'remove') return remove(db, change);
  const after = change.after as Item;
  const value = values.get(`${change.type} ${change.id}`);
  if (change.type === 'auth_method') await writeMethod(db, change, after, value);
  if (change.type === 'api') await writeApi(db, change, after, value);
  if (change.type === 'client') await writeClient(db, change, after, value);
  if (change.type === 'user') await writePerson(db, change, after);
}

async function writeMethod(db: Db, change: Change, after: Item, value: string | undefined): Promise<void> {
  const { type, name, ...rest } = after.fields as { type: string; name: string };
  const fields = Object.entries(rest).map(
    ([key, part]) => [key, part === undefined ? change.before?.fields[key] : part] as const,
  );
  const config = Object.fromEntries(fields.filter(([, part]) => part !== null && part !== undefined));
  const sealedSecret = value === undefined ? undefined : sealForRow('auth_methods', after.id, value);
  await upsertMethod(db, { id: after.id, type, name, config, sealedSecret });
  if (change.kind === 'change' && change.changed.some((key) => WHO_ANSWERS.includes(key))) {
    await forgetIdentities(db, after.id);
  }
  const details = change.kind === 'create' ? { type } : { changed: change.changed };
  await record(event(change, 'auth_method', { authMethodId: after.id, details }), db);
}

async function writeApi(db: Db, change: Change, after: Item, value: string | undefined): Promise<void> {
  const api = { ...after.fields, id: after.id } as unknown as ApiValues & {
    scopes: { name: string; description: string }[];
    auth_methods: string[];
  };
  await upsertApi(db, api);
  if (change.changed.includes('introspection_secret') && value !== undefined) {
    await setIntrospectionSecret(db, after.id, sha256(value));
  }
  await replaceScopes(db, after.id, api.scopes);
  await replaceCombinations(db, after.id, api.auth_methods);
  await record(event(change, 'api', { apiId: after.id, ...detailsOf(change) }), db);
}

async function writeClient(db: Db, change: Change, after: Item, value: string | undefined): Promise<void> {
  const { fields } = after;
  await upsertClient(db, { ...fields, client_id: after.id } as unknown as ClientValues);
  if (change.kind === 'change' && change.changed.includes('confidential')) {
    await endTokens(db, { clientId: after.id }, 'client changed between public and confidential');
    if (fields.confidential === false) await dropClientSecrets(db, after.id);
  }
  if (change.changed.includes('client_secret') && value !== undefined) {
    await setConfigSecret(db, after.id, sha256(value));
  }
  await record(event(change, 'client', { clientId: after.id, ...detailsOf(change) }), db);
  const disabled = fields.disabled;
  if (typeof disabled === 'boolean' && (await setClientDisabled(db, after.id, disabled))) {
    const name = disabled ? 'client.disabled' : 'client.enabled';
    await record({ event: name, actor: 'config', clientId: after.id }, db);
  }
}

async function writePerson(db: Db, change: Change, after: Item): Promise<void> {
  const { fields } = after;
  const name = fields.name as string | undefined;
  const roles = fields.roles as string[];
  const passwordHash = change.changed.includes('password') ? (after.secrets.password ?? null) : null;
  let personId: string;
  if (change.kind === 'create') {
    const person = { email: after.id, name: name ?? '', roles, passwordHash, configPassword: passwordHash };
    const id = await insertPerson(db, person);
    if (id === null) throw new Error(`${after.id} was created meanwhile`);
    personId = id;
    await record(
      { event: 'person.created', actor: 'config', personId, details: { email: after.id, roles } },
      db,
    );
  } else {
    const person = await findPersonByEmail(db, after.id);
    if (person === null) throw new Error(`${after.id} was removed meanwhile`);
    personId = person.id;
    if (change.changed.includes('name')) await setPersonName(db, personId, name ?? '');
    if (change.changed.includes('roles')) await setPersonRoles(db, personId, roles);
    if (passwordHash !== null) {
      await setPasswordHash(db, personId, passwordHash, passwordHash);
    }
    await record(
      { event: 'person.changed', actor: 'config', personId, details: { changed: change.changed } },
      db,
    );
  }
  const disabled = fields.disabled;
  if (typeof disabled === 'boolean' && (await setPersonDisabled(db, personId, disabled))) {
    await record({ event: disabled ? 'person.disabled' : 'person.enabled', actor: 'config', personId }, db);
  }
}

async function remove(db: Db, change: Change): Promise<void> {
  const { id } = change;
  if (change.type === 'user') {
    const person = await findPersonByEmail(db, id);
    if (person) await removePerson(db, person.id);
    return record({ event: 'person.removed', actor: 'config', details: { email: id } }, db);
  }
  if (change.type === 'client') {
    await removeFromRegistry(db, 'clients', id);
    return record({ event: 'client.removed', actor: 'config', clientId: id }, db);
  }
  if (change.type === 'api') {
    await removeFromRegistry(db, 'apis', id);
    return record({ event: 'api.removed', actor: 'config', apiId: id }, db);
  }
  await removeFromRegistry(db, 'auth_methods', id);
  return record({ event: 'auth_method.removed', actor: 'config', authMethodId: id }, db);
}

const detailsOf = (change: Change) =>
  change.kind === 'change' ? { details: { changed: change.changed } } : {};

function event(change: Change, subject: 'auth_method' | 'api' | 'client', rest: object): AuditEvent {
  const name = change.kind === 'create' ? 'created' : 'changed';
  return { event: `${subject}.${name}`, actor: 'config', ...rest } as AuditEvent;
}
