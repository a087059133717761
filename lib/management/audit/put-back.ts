// Putting back what an event of the audit log changed: the same change in the other direction, by the operation that
// everybody uses, with its checks, its version and its own event. What holds a secret is not among what comes back.
import { isDeepStrictEqual } from 'node:util';
import type { Db } from '#lib/store/index.ts';
import { type Actor, type Consequences, consequencesOf, operation, Refused } from '../core/index.ts';
import { type AuditEntry, auditEntryOf } from './audit.ts';
import { type PreparedChange, PUT_BACK } from './put-back-kinds.ts';

type Values = Readonly<Record<string, unknown>>;

export type PutBackField = {
  name: string;
  /** before the event, after it, and now */
  was: unknown;
  became: unknown;
  now: unknown;
  /** `already`: it is again what it was. `kept`: it is not put back (a secret, too long, only its owner's) */
  state: 'back' | 'already' | 'kept';
  /** it has been changed again since the event */
  isChangedSince: boolean;
};

export type PutBackPlan = {
  entry: AuditEntry;
  /** `none`: the event changed nothing that can be put back. `gone`: what it changed is not there any more */
  state: 'none' | 'gone' | 'there';
  fields: PutBackField[];
  /** of the object as it was read for this; 0 where there is none */
  version: number;
  consequences: Consequences;
};

/** What putting back would do now. Everything that it would break, or overwrite, is among its consequences. */
export const previewPutBack = operation(
  'previewPutBack',
  async ({ actor, db }, input: { id: string }): Promise<PutBackPlan> => {
    const { prepared, ...plan } = await planOf(actor, db, input.id);
    return prepared === null ? plan : { ...plan, consequences: await prepared.preview(actor) };
  },
);

/** `version`: of the object that the preview showed. Refused where another person was faster. */
export const putBack = operation(
  'putBack',
  async ({ actor, db }, input: { id: string; version?: number }): Promise<AuditEntry> => {
    const { prepared, state, entry, version } = await planOf(actor, db, input.id);
    if (state === 'gone') throw new Refused('put_back.gone');
    if (prepared === null) throw new Refused('put_back.nothing');
    await prepared.run(actor, input.version ?? version);
    return entry;
  },
);

/** `prepared` null: there is nothing to put back. */
async function planOf(
  actor: Actor,
  db: Db,
  id: string,
): Promise<PutBackPlan & { prepared: PreparedChange | null }> {
  const entry = await auditEntryOf(id);
  const kind = PUT_BACK.get(entry.event);
  const { before, after, changed } = entry.details;
  const none = { entry, fields: [], version: 0, consequences: consequencesOf(false), prepared: null };
  if (!kind || !isValues(before) || !isValues(after)) return { ...none, state: 'none' };
  const object = await kind.read(actor, entry).catch((error: unknown) => {
    if (error instanceof Refused && error.kind === 'not-found') return null;
    throw error;
  });
  if (object === null) return { ...none, state: 'gone' };
  const { values: now, version } = object;
  const names = new Set([...namesIn(changed), ...Object.keys(before), ...Object.keys(after)]);
  const fields = [...names].map((name): PutBackField => {
    const { was, became, is } = { was: before[name], became: after[name], is: now[name] ?? null };
    const isKnown = was !== undefined && became !== undefined && kind.takes(name);
    const state = !isKnown ? 'kept' : isDeepStrictEqual(is, was) ? 'already' : 'back';
    return { name, was, became, now: is, state, isChangedSince: isKnown && !isDeepStrictEqual(is, became) };
  });
  const back = fields.filter(({ state }) => state === 'back');
  const values = Object.fromEntries(back.map((field) => [field.name, inOrderOf(field.was, field.now)]));
  const prepared = back.length === 0 ? null : await kind.prepare(db, { entry, values, now });
  return { ...none, state: 'there', fields, version, prepared };
}

const namesIn = (changed: unknown) => (Array.isArray(changed) ? changed.map(String) : []);

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The log keeps no order of languages, and the first one counts: those that are there now come first. Scopes are
 * compared by their names.
 */
function inOrderOf(value: unknown, like: unknown): unknown {
  if (Array.isArray(value)) {
    const known = new Map(Array.isArray(like) ? like.map((one) => [nameIn(one), one]) : []);
    return value.map((one) => inOrderOf(one, known.get(nameIn(one))));
  }
  if (!isValues(value) || !isValues(like)) return value;
  const names = new Set([...Object.keys(like), ...Object.keys(value)]);
  return Object.fromEntries(
    [...names].flatMap((name) =>
      Object.hasOwn(value, name) ? [[name, inOrderOf(value[name], like[name])]] : [],
    ),
  );
}

const nameIn = (one: unknown): unknown => (isValues(one) ? one['name'] : one);
