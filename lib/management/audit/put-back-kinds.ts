// How each kind of change is put back: what is read, which fields may be changed that way, and the operation.
import type { EventName } from '#lib/audit/index.ts';
import { english } from '#lib/language/index.ts';
import {
  api,
  client,
  flatText,
  type OwnTexts,
  TERM_NAMES,
  withFlatTexts,
  withTexts,
} from '#lib/registry/index.ts';
import { type Db, findPersonById } from '#lib/store/index.ts';
import { type Actor, type Consequences, consequencesOf, Refused } from '../core/index.ts';
import { changePerson, readPerson } from '../people/index.ts';
import {
  changeApi,
  changeAuthMethod,
  changeClient,
  previewApiChange,
  previewAuthMethodChange,
  previewClientChange,
  readApi,
  readAuthMethod,
  readClient,
} from '../registry/index.ts';
import {
  changeSubscription,
  changeTerms,
  previewSubscriptionChange,
  readSubscription,
} from '../subscriptions/index.ts';
import type { AuditEntry } from './audit.ts';

type Values = Readonly<Record<string, unknown>>;
type Changing = { entry: AuditEntry; values: Values; now: Values };

type Kind<Change extends object> = {
  /** Refused as not found where it is gone */
  read: (actor: Actor, entry: AuditEntry) => Promise<{ values: Values; version: number }>;
  takes: (field: string) => boolean;
  /** the input of the operation */
  change: (db: Db, changing: Changing) => Change | Promise<Change>;
  preview: (actor: Actor, change: Change) => Promise<Consequences>;
  run: (actor: Actor, change: Change & { version: number }) => Promise<unknown>;
};

/** Each prepares the change that it takes itself. */
export type PutBackKind = {
  read: Kind<never>['read'];
  takes: Kind<never>['takes'];
  prepare: (db: Db, changing: Changing) => Promise<PreparedChange>;
};
export type PreparedChange = {
  preview: (actor: Actor) => Promise<Consequences>;
  run: (actor: Actor, version: number) => Promise<unknown>;
};

const kind = <Change extends object>({ read, takes, ...of }: Kind<Change>): PutBackKind => ({
  read,
  takes,
  prepare: async (db, changing) => {
    const change = await of.change(db, changing);
    return {
      preview: (actor) => of.preview(actor, change),
      run: (actor, version) => of.run(actor, { ...change, version }),
    };
  },
});

const idOf = ({ apiId, authMethodId, personId }: AuditEntry) => ({
  id: apiId ?? authMethodId ?? personId ?? '',
});
const clientOf = ({ clientId }: AuditEntry) => ({ clientId: clientId ?? '' });
const pairOf = (entry: AuditEntry) => ({ ...clientOf(entry), api: entry.apiId ?? '' });

const CLIENT_FIELDS = new Set([...Object.keys(client.shape), 'ownerId']);
const CHANGED_WISH = new Set(['trusted', 'machine', 'scopes']);
/** The rest of a profile is its person's own. */
const PERSON_FIELDS = new Set(['name', 'email', 'username']);

async function addressOf(db: Db, id: unknown): Promise<string | null> {
  if (typeof id !== 'string') return null;
  const owner = await findPersonById(db, id);
  if (owner?.email == null) throw new Refused('put_back.no_owner');
  return owner.email;
}

/** The fields of the change, each text of it in its place among those that are there now. */
function withTextsBack(values: Values, now: Values): Values {
  const others = Object.entries(values).filter(([field]) => flatText(field) === null);
  let texts: OwnTexts | null = null;
  for (const [field, text] of Object.entries({ ...now, ...values })) {
    const at = flatText(field);
    if (at) texts = withTexts(texts, at.language, { [at.slot]: text }) as OwnTexts;
  }
  const isAbout = others.length < Object.keys(values).length;
  return { ...Object.fromEntries(others), ...(isAbout && { texts }) };
}

const clientKind = kind({
  read: async (actor, entry) => {
    const { version, ...values } = await readClient(actor, clientOf(entry));
    return { values: withFlatTexts(values), version };
  },
  takes: (field) => CLIENT_FIELDS.has(field) || flatText(field) !== null,
  change: async (db, { entry, values: { ownerId, ...values }, now }) => ({
    ...withTextsBack(values, now),
    ...clientOf(entry),
    ...(ownerId !== undefined && { ownerEmail: await addressOf(db, ownerId) }),
  }),
  preview: previewClientChange,
  run: changeClient,
});

const apiKind = kind({
  read: async (actor, entry) => {
    const { version, ...values } = await readApi(actor, idOf(entry));
    return { values: withFlatTexts(values), version };
  },
  takes: (field) => Object.hasOwn(api.shape, field) || flatText(field) !== null,
  change: (_, { entry, values, now }) => ({ ...withTextsBack(values, now), ...idOf(entry) }),
  preview: previewApiChange,
  run: changeApi,
});

const methodKind = kind({
  read: async (actor, entry) => {
    const { name, config, version } = await readAuthMethod(actor, idOf(entry));
    return { values: { ...config, name }, version };
  },
  // only the configuration file changes the type
  takes: (field) => field !== 'type' && field !== 'secret',
  change: (_, { entry, values, now }) => {
    const { name, ...config } = { ...now, ...values };
    const kept = Object.entries(config).flatMap(([key, value]) => {
      // what is not named may stay as it is (shared_callback)
      if (value === null) return now[key] === true ? [[key, false]] : [];
      return [[key, value]];
    });
    return { ...idOf(entry), name: name as string, config: Object.fromEntries(kept) };
  },
  preview: previewAuthMethodChange,
  run: changeAuthMethod,
});

const personKind = kind({
  read: async (actor, entry) => {
    const values = await readPerson(actor, idOf(entry));
    return { values, version: values.version };
  },
  takes: (field) => PERSON_FIELDS.has(field),
  change: (_, { entry, values }) => ({ ...values, ...idOf(entry) }),
  preview: async () => consequencesOf(false),
  run: changePerson,
});

const readPair = async (actor: Actor, entry: AuditEntry) => {
  const values = await readSubscription(actor, pairOf(entry));
  return { values, version: values.version };
};

const wishKind = kind({
  read: readPair,
  takes: (field) => CHANGED_WISH.has(field),
  change: (_, { entry, values }) => ({ ...values, ...pairOf(entry) }),
  preview: async (actor, change) => {
    const { from, to } = await previewSubscriptionChange(actor, change);
    const waits = from === 'approved' && to === 'pending';
    return consequencesOf(false, [
      [
        english('The subscription waits for approval again. Until then it gets no tokens and renews none.'),
        waits,
      ],
    ]);
  },
  run: changeSubscription,
});

const termsKind = kind({
  read: readPair,
  takes: (field) => TERM_NAMES.some((name) => name === field),
  change: (_, { entry, values }) => ({ ...values, ...pairOf(entry) }),
  preview: async () => consequencesOf(false),
  run: changeTerms,
});

/** By the name of the event. A role is taken back, or given again, by its own question. */
export const PUT_BACK: ReadonlyMap<string, PutBackKind> = new Map<EventName, PutBackKind>([
  ['client.changed', clientKind],
  ['api.changed', apiKind],
  ['auth_method.changed', methodKind],
  ['person.changed', personKind],
  ['subscription.changed', wishKind],
  ['subscription.returned_to_pending', wishKind],
  ['subscription.terms_changed', termsKind],
]);
