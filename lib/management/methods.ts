// Authentication methods in lists and on their page; created, changed and deleted by administrators. A secret goes in
// sealed and never comes out.
import { z } from 'zod';
import { ownCallbackUris } from '#lib/auth-methods/index.ts';
import {
  type Db,
  findMethod,
  forgetIdentities,
  hasOtherLocalMethod,
  inTransaction,
  type MethodView as MethodRow,
  ownConnection,
  removeFromRegistry,
  sealForRow,
  selectMethods,
  upsertMethod,
} from '#lib/store/index.ts';
import { ensureManagementApi } from './built-in.ts';
import { changesOf } from './changes.ts';
import { operation } from './operation.ts';
import { type Asked, type Page, readPage, searchOf, TEXT_PART } from './page.ts';
import { type Actor, requireAction } from './policy.ts';
import { record } from './record.ts';
import { Refused, refuseFaults, stale, taken } from './refused.ts';
import {
  brokerShape,
  externalShape,
  faultsOf,
  label,
  methodFaults,
  methodId,
  secretText,
  WHO_ANSWERS,
} from './registry-rules.ts';

export type MethodView = MethodRow & {
  /** the redirect address to register at the broker; null: no broker */
  callback: string | null;
};

const CONFIG = {
  local: z.strictObject({}),
  external: z.strictObject(externalShape),
  broker: z.strictObject(brokerShape),
};
const head = z.object({ id: methodId, name: label, secret: secretText.optional() });

export type MethodInput = {
  id: string;
  type: MethodView['type'];
  name: string;
  /** the keys of the configuration file for this type, no secret among them */
  config?: Record<string, unknown> | undefined;
  /** an external service's token, a broker's client secret */
  secret?: string | undefined;
};
export type MethodChange = { id: string } & Partial<Omit<MethodInput, 'id' | 'type'>>;
type Values = { id: string; type: MethodView['type']; name: string; config: Record<string, unknown> };

export const pageAuthMethods = operation(
  'pageAuthMethods',
  async (actor: Actor, input: Asked = {}): Promise<Page<MethodView>> => {
    requireAction(actor, 'registry.read');
    return readPage(input, {
      parts: [TEXT_PART],
      select: ({ after, limit }) =>
        selectMethods({ search: searchOf(input), after: after?.[0] ?? null, limit }).then((rows) =>
          rows.map(withCallback),
        ),
      key: (row) => [row.id],
    });
  },
);

export const readAuthMethod = operation(
  'readAuthMethod',
  async (actor: Actor, input: { id: string }): Promise<MethodView> => {
    requireAction(actor, 'registry.read');
    return methodOf(ownConnection, input.id);
  },
);

export const createAuthMethod = operation(
  'createAuthMethod',
  async (actor: Actor, input: MethodInput): Promise<MethodView> => {
    requireAction(actor, 'registry.manage');
    const method = parseMethod(input);
    return inTransaction(async (db: Db) => {
      if (await findMethod(db, method.id)) {
        throw taken('id', `${method.id} is taken by another method`);
      }
      await upsertMethod(db, { ...method, sealedSecret: sealed(method.id, input.secret) });
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
  async (actor: Actor, input: MethodChange & { version: number }): Promise<MethodView> => {
    requireAction(actor, 'registry.manage');
    return inTransaction(async (db: Db) => {
      const before = await methodOf(db, input.id, 'lock');
      const after = changedMethod(before, input);
      if (before.version !== input.version) throw stale(`the method ${before.id}`);
      const [old, fresh] = [flat(before), flat(after)];
      const keys = new Set([...Object.keys(old), ...Object.keys(fresh)]);
      const details = changesOf(old, fresh, keys);
      if (input.secret !== undefined) details.changed.push('secret');
      if (details.changed.length === 0) return before;
      await upsertMethod(db, { ...after, sealedSecret: sealed(after.id, input.secret) });
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
async function keepALocalMethod(db: Db, method: MethodView): Promise<void> {
  if (method.type !== 'local') return;
  if (await hasOtherLocalMethod(db, method.id)) return;
  throw new Refused('people of the console sign in with the last local method', 'conflict');
}

export function changedMethod(before: MethodView, change: MethodChange): Values {
  return parseMethod({
    id: before.id,
    type: before.type,
    name: change.name ?? before.name,
    config: change.config ? { ...sharedCallback(before), ...change.config } : before.config,
    secret: change.secret,
  });
}

/** What the broker has registered does not change because a change says nothing about it. */
const sharedCallback = ({ config }: MethodRow): Record<string, unknown> =>
  config['shared_callback'] === true ? { shared_callback: true } : {};

function parseMethod(input: MethodInput): Values {
  const { id, type, name } = input;
  const schema = Object.hasOwn(CONFIG, type) ? CONFIG[type] : undefined;
  if (!schema) throw new Refused('the type is local, external or broker');
  const parsedHead = head.safeParse({ id, name, secret: input.secret });
  const parsed = schema.safeParse(input.config ?? {});
  const faults = [
    ...(parsedHead.success ? [] : faultsOf(parsedHead.error)),
    ...(parsed.success ? [] : faultsOf(parsed.error, 'config.')),
    ...(type === 'local' && input.secret !== undefined
      ? [{ field: 'secret', message: 'a local method has no secret' }]
      : []),
  ];
  refuseFaults(faults);
  const { shared_callback, ...rest } = (parsed.data ?? {}) as Record<string, unknown>;
  const config = { ...rest, ...(shared_callback === true && { shared_callback }) };
  refuseFaults(
    methodFaults({ ...config, type }).map(({ key, message }) => ({
      field: `config.${key}`,
      message: `${key} ${message}`,
    })),
  );
  return { id, type, name: parsedHead.data?.name ?? name, config };
}

export async function methodOf(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<MethodView> {
  const method = await findMethod(db, id, lock);
  if (!method) throw new Refused(`there is no authentication method ${id}`, 'not-found');
  return withCallback(method);
}

const withCallback = (row: MethodRow): MethodView => ({
  ...row,
  callback: row.type === 'broker' ? ownCallbackUris(row.id)[0] : null,
});

const flat = ({ name, config }: Values): Record<string, unknown> => ({ name, ...config });

const sealed = (id: string, secret: string | undefined) =>
  secret === undefined ? undefined : sealForRow('auth_methods', id, secret);
