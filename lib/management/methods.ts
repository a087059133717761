// Authentication methods in lists and on their page; created, changed and deleted by administrators. A secret goes in
// sealed and never comes out.
import { ownCallbackUris } from '#lib/auth-methods/index.ts';
import {
  type AuthMethodInput,
  type AuthMethodRow,
  type AuthMethodValues,
  authMethodConfig,
  authMethodFaults,
  type Change,
  authMethod as definition,
  faultsOf,
  WHO_ANSWERS,
} from '#lib/registry/index.ts';
import {
  type Db,
  findAuthMethod,
  forgetIdentities,
  hasOtherLocalMethod,
  inTransaction,
  lockAuthMethodId,
  ownConnection,
  removeFromRegistry,
  sealForRow,
  selectAuthMethods,
  upsertAuthMethod,
} from '#lib/store/index.ts';
import { ensureManagementApi } from './built-in.ts';
import { changesOf } from './changes.ts';
import { operation } from './operation.ts';
import { type Asked, type Page, readPage, searchOf, TEXT_PART } from './page.ts';
import { type Actor, requireAction } from './policy.ts';
import { record } from './record.ts';
import { faulty, parseInput, Refused, refuseFaults, stale, taken } from './refused.ts';

export type AuthMethodView = AuthMethodRow & {
  /** the redirect address to register at the broker; null: no broker */
  callback: string | null;
};
/** `type`: the configuration file alone changes it. */
export type AuthMethodChange = { id: string } & Change<Omit<AuthMethodInput, 'id'>>;

export const pageAuthMethods = operation(
  'pageAuthMethods',
  async (actor: Actor, input: Asked = {}): Promise<Page<AuthMethodView>> => {
    requireAction(actor, 'registry.read');
    return readPage(input, {
      parts: [TEXT_PART],
      select: ({ after, limit }) =>
        selectAuthMethods({ search: searchOf(input), after: after?.[0] ?? null, limit }).then((rows) =>
          rows.map(withCallback),
        ),
      key: (row) => [row.id],
    });
  },
);

export const readAuthMethod = operation(
  'readAuthMethod',
  async (actor: Actor, input: { id: string }): Promise<AuthMethodView> => {
    requireAction(actor, 'registry.read');
    return methodOf(ownConnection, input.id);
  },
);

export const createAuthMethod = operation(
  'createAuthMethod',
  async (actor: Actor, input: AuthMethodInput): Promise<AuthMethodView> => {
    requireAction(actor, 'registry.manage');
    const method = parseMethod(input);
    return inTransaction(async (db: Db) => {
      await lockAuthMethodId(db, method.id);
      if (await findAuthMethod(db, method.id)) {
        throw taken('id', `${method.id} is taken by another method`);
      }
      await upsertAuthMethod(db, method, sealed(method.id, input.secret));
      if (method.type === 'local') await ensureManagementApi(db);
      const details = { type: method.type, after: { name: method.name, ...method.config } };
      const event = { authMethodId: method.id, details };
      await record(actor, { event: 'auth_method.created', ...event }, db);
      return methodOf(db, method.id);
    });
  },
);

export const changeAuthMethod = operation(
  'changeAuthMethod',
  async (actor: Actor, input: AuthMethodChange & { version?: number }): Promise<AuthMethodView> => {
    requireAction(actor, 'registry.manage');
    return inTransaction(async (db: Db) => {
      const before = await methodOf(db, input.id, 'lock');
      const after = changedMethod(before, input);
      if (input.version !== undefined && before.version !== input.version)
        throw stale(`the method ${before.id}`);
      if (before.type !== after.type) await keepALocalMethod(db, before);
      const [old, fresh] = [flat(before), flat(after)];
      const keys = new Set([...Object.keys(old), ...Object.keys(fresh)]);
      const details = changesOf(old, fresh, keys);
      if (input.secret !== undefined) details.changed.push('secret');
      if (details.changed.length === 0) return before;
      await upsertAuthMethod(db, after, sealed(after.id, input.secret));
      if (details.changed.some((key) => WHO_ANSWERS.includes(key))) {
        await forgetIdentities(db, after.id);
      }
      const event = { authMethodId: after.id, details };
      await record(actor, { event: 'auth_method.changed', ...event }, db);
      return methodOf(db, after.id);
    });
  },
);

/** With its combinations, identities, sessions and tokens. */
export const deleteAuthMethod = operation(
  'deleteAuthMethod',
  async (actor: Actor, input: { id: string; version?: number | undefined }): Promise<void> => {
    requireAction(actor, 'registry.manage');
    await inTransaction(async (db: Db) => {
      const method = await methodOf(db, input.id, 'lock');
      if (input.version !== undefined && input.version !== method.version) {
        throw stale(`the method ${method.id}`);
      }
      await keepALocalMethod(db, method);
      await removeFromRegistry(db, 'auth_methods', method.id);
      const event = { authMethodId: method.id };
      await record(actor, { event: 'auth_method.removed', ...event }, db);
    });
  },
);

/** Without any, no administrator could sign in again. */
async function keepALocalMethod(db: Db, method: AuthMethodView): Promise<void> {
  if (method.type !== 'local') return;
  if (await hasOtherLocalMethod(db, method.id)) return;
  throw new Refused('people of the console sign in with the last local method', 'conflict');
}

export function changedMethod(before: AuthMethodView, change: AuthMethodChange): AuthMethodValues {
  return parseMethod({
    id: before.id,
    type: change.type ?? before.type,
    name: change.name ?? before.name,
    config: change.config
      ? { ...((change.type ?? before.type) === 'broker' && sharedCallback(before)), ...change.config }
      : before.config,
    secret: change.secret,
  });
}

/** What the broker has registered does not change because a change says nothing about it. */
const sharedCallback = ({ config }: AuthMethodRow): Record<string, unknown> =>
  config['shared_callback'] === true ? { shared_callback: true } : {};

function parseMethod(input: AuthMethodInput): AuthMethodValues {
  const { secret, ...method } = parseInput(definition, input);
  const parsed = authMethodConfig[method.type].safeParse(method.config, { reportInput: true });
  if (!parsed.success) throw faulty(faultsOf(parsed.error, 'config.'));
  if (method.type === 'local' && secret !== undefined)
    throw faulty([{ field: 'secret', message: 'a local method has no secret' }]);
  // the claims as they came: a record forgets `__proto__`
  const faults = authMethodFaults({ ...parsed.data, claims: method.config['claims'], type: method.type });
  refuseFaults(
    faults.map(({ path, message }) => {
      const key = path.join('.');
      return { field: `config.${key}`, message: `${key} ${message}` };
    }),
  );
  // false and an empty map are kept as nothing, like a method that never had them
  const { shared_callback, trust_email, claims, ...config }: Record<string, unknown> = parsed.data;
  return {
    ...method,
    config: {
      ...config,
      ...(shared_callback === true && { shared_callback }),
      ...(trust_email === true && { trust_email }),
      ...(Object.keys(claims ?? {}).length > 0 && { claims }),
    },
  };
}

export async function methodOf(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<AuthMethodView> {
  const method = await findAuthMethod(db, id, lock);
  if (!method) throw new Refused(`there is no authentication method ${id}`, 'not-found');
  return withCallback(method);
}

const withCallback = (row: AuthMethodRow): AuthMethodView => ({
  ...row,
  callback: row.type === 'broker' ? ownCallbackUris(row.id)[0] : null,
});

const flat = ({ type, name, config }: AuthMethodValues): Record<string, unknown> => ({
  type,
  name,
  ...config,
  // the database keeps an order of its own
  ...('claims' in config && { claims: Object.fromEntries(Object.entries(config['claims'] ?? {}).sort()) }),
});

const sealed = (id: string, secret: string | undefined) =>
  secret === undefined ? undefined : sealForRow('auth_methods', id, secret);
