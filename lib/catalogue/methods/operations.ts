// Operations on authentication methods: administrators list, create, change and delete them. A secret is stored
// sealed and never returned.
import { callbackOf, ownCallbackUris } from '#lib/auth-methods/callback.ts';
import { endWaitingAt } from '#lib/catalogue/people/invitations.ts';
import { selectRequiredClaims } from '#lib/catalogue/subscriptions/rows.ts';
import type { Sentence } from '#lib/kit/text.ts';
import { english } from '#lib/language/message.ts';
import { ensureManagementApi } from '#lib/management/built-in.ts';
import {
  type Consequences,
  consequencesOf,
  consequencesOutput,
  countEnding,
  type Holding,
  weakenedFaults,
} from '#lib/management/consequences.ts';
import { type Asked, type Page, readPage, searchedPage, searchOf } from '#lib/management/lists.ts';
import { type Context, one, operation, page } from '#lib/management/operations.ts';
import { changesOf, record } from '#lib/management/record.ts';
import {
  faultAt,
  faulty,
  parseInput,
  Refused,
  refuseFaults,
  refuseStale,
  valueTaken,
  wrongAt,
} from '#lib/management/refused.ts';
import { type Change, changeOf, type Fault, faultsOf } from '#lib/registry/definition.ts';
import { oneLineKey } from '#lib/registry/values.ts';
import { removeFromRegistry } from '#lib/store/endings.ts';
import { type Db, lockName } from '#lib/store/prisma.ts';
import { sealForRow } from '#lib/store/sealed.ts';
import {
  type AuthMethodInput,
  type AuthMethodRow,
  type AuthMethodValues,
  type AuthMethodView,
  answersElse,
  authMethodFaults,
  authMethodView,
  authMethod as definition,
} from './definition.ts';
import { keepsSecret, methodCan, methodKind } from './questions.ts';
import {
  AUTH_METHODS,
  findAuthMethod,
  forgetIdentities,
  hasOtherLocalMethod,
  upsertAuthMethod,
} from './rows.ts';

const methodChange = changeOf(definition.omit({ id: true, type: true }));
/** `type`: only the configuration file can change it. */
export type AuthMethodChange = { id: string } & Change<Omit<AuthMethodInput, 'id'>>;

export const pageAuthMethods = operation(
  {
    name: 'pageAuthMethods',
    right: 'registry.read',
    shape: searchedPage('authMethods'),
    output: page('AuthMethod', authMethodView),
  },
  async (_, input: Asked = {}): Promise<Page<AuthMethodView>> => {
    const page = await readPage(AUTH_METHODS, input, { search: searchOf(input) });
    return { ...page, rows: page.rows.map(withCallback) };
  },
);

export const readAuthMethod = operation(
  { name: 'readAuthMethod', right: 'registry.read', output: one('AuthMethod', authMethodView) },
  ({ db }, input: { id: string }) => methodOf(db, input.id),
);

export const createAuthMethod = operation(
  {
    name: 'createAuthMethod',
    right: 'registry.manage',
    fresh: 'always',
    runsOn: 'transaction',
    shape: definition,
    output: one('AuthMethod', authMethodView),
  },
  async ({ actor, db }, input: AuthMethodInput): Promise<AuthMethodView> => {
    const method = parseMethod(input);
    const { id, type, name, config } = method;
    // the lock makes a second, concurrent request see that the id is taken
    await lockName(db, `method ${id}`);
    if (await findAuthMethod(db, id)) throw valueTaken('id', 'method.id_taken', id);
    await upsertAuthMethod(db, method, sealSecret(id, input.secret));
    if (methodCan(method, 'hasAccounts')) await ensureManagementApi(db);
    const details = { type, after: { name, ...config } };
    await record(actor, { event: 'auth_method.created', authMethodId: id, details }, db);
    return methodOf(db, id);
  },
);

export const changeAuthMethod = operation(
  {
    name: 'changeAuthMethod',
    right: 'registry.manage',
    fresh: 'always',
    runsOn: 'transaction',
    shape: methodChange,
    output: one('AuthMethod', authMethodView),
  },
  async ({ actor, db }, input: AuthMethodChange & { version?: number }): Promise<AuthMethodView> => {
    const before = await methodOf(db, input.id, 'lock');
    const { id } = before;
    const after = changedMethod(before, input);
    refuseStale(id, input.version, before.version);
    if (before.type !== after.type) {
      await keepALocalMethod(db, before);
      await endWaitingAt(db, id);
    }
    const [old, fresh] = [flat(before), flat(after)];
    const details = changesOf(old, fresh, new Set([...Object.keys(old), ...Object.keys(fresh)]));
    const dropsSecret = before.hasSecret && !keepsSecret(before, after);
    if (input.secret !== undefined || dropsSecret) details.changed.push('secret');
    if (details.changed.length === 0) return before;
    refuseFaults(await methodChangeFaults({ actor, db }, before, after));
    await upsertAuthMethod(db, after, sealSecret(id, input.secret));
    if (answersElse(before, after)) await forgetIdentities(db, id);
    await record(actor, { event: 'auth_method.changed', authMethodId: id, details }, db);
    return methodOf(db, id);
  },
);

/** The reasons why this change would be rejected. */
async function methodChangeFaults(
  { actor, db }: Pick<Context, 'actor' | 'db'>,
  before: AuthMethodValues,
  after: AuthMethodValues,
): Promise<Fault[]> {
  // `apply` checks the complete file before it writes subscriptions
  if (actor.kind === 'configuration') return [];
  const requiredClaims = await selectRequiredClaims(db, { method: before.id });
  return weakenedFaults(after, requiredClaims, { field: 'config', before });
}

/** Deletes a method with its issuers, identities, sessions and tokens. */
export const deleteAuthMethod = operation(
  { name: 'deleteAuthMethod', right: 'registry.manage', runsOn: 'transaction' },
  async ({ actor, db }, input: { id: string; version?: number | undefined }): Promise<void> => {
    const method = await methodOf(db, input.id, 'lock');
    refuseStale(method.id, input.version, method.version);
    await keepALocalMethod(db, method);
    await endWaitingAt(db, method.id);
    await removeFromRegistry(db, 'auth_methods', method.id);
    await record(actor, { event: 'auth_method.removed', authMethodId: method.id }, db);
  },
);

/** Rejects removal of the last local method, which administrators need. The lock serializes concurrent removals. */
async function keepALocalMethod(db: Db, method: AuthMethodView): Promise<void> {
  if (!methodCan(method, 'hasAccounts')) return;
  await lockName(db, 'methods with accounts');
  if (await hasOtherLocalMethod(db, method.id)) return;
  throw new Refused('method.last_local');
}

/** Returns the values that saving would store, and throws the same errors as saving. */
export async function methodAsSaved(db: Db, input: AuthMethodInput): Promise<AuthMethodValues> {
  const before = await findAuthMethod(db, input.id);
  return before ? changedMethod(withCallback(before), input) : parseMethod(input);
}

function changedMethod(before: AuthMethodView, change: AuthMethodChange): AuthMethodValues {
  const { id, type = before.type, name = before.name, config, secret } = { ...change, id: before.id };
  const callbackField = 'shared_callback' in methodKind(type).config.shape ? sharedCallback(before) : {};
  const after = { id, type, name, config: config ? { ...callbackField, ...config } : before.config, secret };
  return parseMethod(after, before.hasSecret && keepsSecret(before, { type, config: after.config }));
}

/**
 * A change without `shared_callback` keeps the setting, because the shared redirect URI may be registered at the
 * broker.
 */
const sharedCallback = ({ config }: AuthMethodRow): Record<string, unknown> =>
  config['shared_callback'] === true ? { shared_callback: true } : {};

function parseMethod(input: AuthMethodInput, hadSecret = false): AuthMethodValues {
  const { secret, ...method } = parseInput(definition, input);
  const kind = methodKind(method.type);
  const parseResult = kind.config.safeParse(method.config, { reportInput: true });
  if (!parseResult.success) throw faulty(faultsOf(parseResult.error, 'config.'));
  if (kind.secret === null && secret !== undefined) throw faulty([faultAt('secret', 'method.local_secret')]);
  // checks the claims before parsing, because the parsed record drops `__proto__`
  const faults = [
    ...authMethodFaults({ ...parseResult.data, claims: method.config['claims'], type: method.type }),
    ...(kind.secretFaults?.(parseResult.data, {
      hasSecret: hadSecret || secret !== undefined,
      secret,
    }) ?? []),
  ];
  refuseFaults(
    faults.map(({ path, ...why }) => {
      const key = path.join('.');
      return wrongAt(`config.${key}`, 'method.wrong_config', why, { key });
    }),
  );
  // `false` and an empty map are stored as missing, like members that are not set
  const { shared_callback, trust_email, claims, ...config }: Record<string, unknown> = parseResult.data;
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

async function methodOf(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<AuthMethodView> {
  const method = await findAuthMethod(db, id, lock);
  if (!method) throw new Refused('method.unknown', { method: id });
  return withCallback(method);
}

const withCallback = (row: AuthMethodRow): AuthMethodView => ({
  ...row,
  callback: methodCan(row, 'redirects') ? ownCallbackUris(row.id)[0] : null,
});

const flat = ({ type, name, config }: AuthMethodValues): Record<string, unknown> => ({
  type,
  name,
  ...config,
  // sorted, because PostgreSQL does not keep the order of members
  ...('claims' in config && { claims: Object.fromEntries(Object.entries(config['claims'] ?? {}).sort()) }),
});

const sealSecret = (id: string, secret: string | undefined) =>
  secret === undefined ? undefined : sealForRow('auth_methods', id, oneLineKey(secret));

const remarksOf = ({ type, config }: Pick<AuthMethodValues, 'type' | 'config'>): Sentence[] =>
  (methodKind(type).remarks?.(config) ?? []).map(({ found }) => found);

export const previewAuthMethodChange = operation(
  {
    name: 'previewAuthMethodChange',
    right: 'registry.read',
    shape: methodChange,
    output: consequencesOutput,
  },
  async ({ actor, db }, input: AuthMethodChange): Promise<Consequences> => {
    const before = await methodOf(db, input.id);
    const after = changedMethod(before, input);
    const another = answersElse(before, after);
    return {
      ...consequencesOf(before.managed, [
        [
          english('From now on, people return to {url}: register this address at the broker.', {
            url: callbackOf(after),
          }),
          callbackOf(before) !== callbackOf(after),
        ],
        [
          english(
            'From now on, another provider responds: people who signed in before are forgotten and must sign in again.',
          ),
          another,
        ],
        ...remarksOf(after)
          .filter(({ text }) => !remarksOf(before).some((sentence) => sentence.text === text))
          .map(({ text, values }): Holding => [english(text, values), true]),
      ]),
      ...(another && (await countEnding(db, { authMethodId: before.id }))),
      faults: await methodChangeFaults({ actor, db }, before, after),
    };
  },
);

export const previewAuthMethodDeletion = operation(
  { name: 'previewAuthMethodDeletion', right: 'registry.read', output: consequencesOutput },
  async ({ db }, input: { id: string }): Promise<Consequences> => {
    const { id, type, managed, apis } = await methodOf(db, input.id);
    return {
      ...consequencesOf(managed, [
        ...apis.map(
          (api): Holding => [english('No one can sign in to {api} with it any more.', { api }), true],
        ),
        [
          english(
            'Passwords are kept, but no one can use them to sign in with this method, not even to the console.',
          ),
          methodCan({ type }, 'hasAccounts'),
        ],
      ]),
      ...(await countEnding(db, { authMethodId: id })),
    };
  },
);
