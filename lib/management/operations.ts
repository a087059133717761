// The code around every operation: it checks the right and a recent sign-in, and opens the transaction. A recent
// sign-in is at most a few minutes old. Therefore nobody can run such an operation with a console that the user left
// open, or with an old token for the management API.

import type { z } from 'zod';
import { countAttempt, TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { type Holdings, lockOwner, selectHoldings } from '#lib/catalogue/people/rows.ts';
import { log } from '#lib/kit/log.ts';
import { UnstorableValue } from '#lib/kit/text.ts';
import { sendLimited } from '#lib/mail/mail.ts';
import { settings } from '#lib/settings/settings.ts';
import { attemptLimit, beginAttempt } from '#lib/store/hot/limits.ts';
import { currentConnection, type Db, inTransaction } from '#lib/store/prisma.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import type { Page } from './lists.ts';
import { type Action, type Actor, isHost, nameOf, requireAction, requireRecent } from './policy.ts';
import { authorOf } from './record.ts';
import { parseInput, Refused } from './refused.ts';

/** Terms of an operation, which `operation()` checks before the work. */
export type Terms = {
  /** the same as the exported name, for the audit log */
  name: string;
  /** one of these rights is checked first; `null`: the operation itself checks the actor */
  right: Action | readonly Action[] | null;
  /**
   * `sometimes`: the operation decides whether to require a recent sign-in. `never`, the default: the operation only
   * reads or removes, needs an approval, or requires another proof
   */
  fresh?: 'always' | 'sometimes' | 'never';
  /** `edit`: one transaction, within the limits of client owners. `pool`, the default: separate transactions, or none */
  runsOn?: 'pool' | 'transaction' | 'edit';
  /**
   * Schema of the query or body over HTTP, without the parameters of the path. The operation checks the values itself.
   * Missing: `input`
   */
  shape?: z.ZodObject;
};

// HTTP responses. An operation's result must match the response schema.

/**
 * Response of the management API: its name in openapi.json, the schema of the object or of a row, and its form. `list`:
 * all rows. `file`: one object that is streamed as JSON. Its schema has the names of the JSON file.
 */
export type Output<Result> = {
  readonly name: string;
  readonly schema: z.ZodObject;
  readonly as: 'one' | 'page' | 'list' | 'file';
  /** converts the result into the response, for example texts into English */
  readonly toResponse?: (result: Result) => unknown;
};

/** The response of any operation, for routes. */
export type Answers = Omit<Output<never>, 'toResponse'> & { toResponse?(result: unknown): unknown };

/** A time is a date in the result, and a text in JSON. */
type WithDates<Value> = Value extends Date
  ? Value
  : string extends Value
    ? Value | Date
    : Value extends object
      ? { [Name in keyof Value]: WithDates<Value[Name]> }
      : Value;
type ResultOf<Schema extends z.ZodType> = WithDates<z.output<Schema>>;

export function one<Schema extends z.ZodObject>(name: string, schema: Schema): Output<ResultOf<Schema>>;
export function one<Schema extends z.ZodObject, Result>(
  name: string,
  schema: Schema,
  toResponse: (result: Result) => ResultOf<Schema>,
): Output<Result>;
export function one<Result>(name: string, schema: z.ZodObject, toResponse?: (result: Result) => unknown) {
  return { name, schema, as: 'one', ...(toResponse && { toResponse }) } as const;
}

export function page<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
): Output<Page<ResultOf<Schema>>>;
export function page<Schema extends z.ZodObject, Row>(
  name: string,
  schema: Schema,
  toResponse: (row: Row) => ResultOf<Schema>,
): Output<Page<Row>>;
export function page<Row>(name: string, schema: z.ZodObject, toResponse?: (row: Row) => unknown) {
  const ofPage = toResponse && {
    toResponse: ({ rows, ...cursors }: Page<Row>) => ({
      ...cursors,
      rows: rows.map((row) => toResponse(row)),
    }),
  };
  return { name, schema, as: 'page', ...ofPage } as const;
}

export function wholeList<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
): Output<ResultOf<Schema>[]>;
export function wholeList<Schema extends z.ZodObject, Result>(
  name: string,
  schema: Schema,
  toResponse: (result: Result) => ResultOf<Schema>[],
): Output<Result>;
export function wholeList<Result>(
  name: string,
  schema: z.ZodObject,
  toResponse?: (result: Result) => unknown,
) {
  return { name, schema, as: 'list', ...(toResponse && { toResponse }) } as const;
}

export const jsonFile = (name: string, schema: z.ZodObject): Output<AsyncGenerator<string>> => ({
  name,
  schema,
  as: 'file',
});

// Limits on owned clients and on the rate of edits, so that one developer cannot slow down the service.
// Administrators and the operator are unlimited. Programs have the edit limit of developers.

/**
 * Bytes of metadata and number of subscriptions per client. A user's limits are these values times the limit
 * of clients.
 */
const BYTES_EACH = 4_096;
const SUBSCRIPTIONS_EACH = 10;
const MINUTE = { kind: 'edits', windowSeconds: 60, times: 1 } as const;
const HOUR = { kind: 'edits-hour', windowSeconds: 3_600, times: 10 } as const;

/** Roles that can own and change clients. */
const DEVELOPERS: readonly string[] = ['administrator', 'developer'];

const isUnlimited = (actor: Actor) => actor.kind === 'person' && actor.roles.includes('administrator');

/** Counts a change of the registry before it happens. Throws `Refused` above the limit. */
export async function countEdit(actor: Actor): Promise<void> {
  if (isHost(actor) || isUnlimited(actor)) return;
  const name = actor.kind === 'machine' ? `client ${actor.clientId}` : actor.id;
  const windows = [HOUR, MINUTE].map(({ kind, windowSeconds, times }) =>
    attemptLimit(kind, name, settings().editsPerMinute * times, windowSeconds),
  );
  const admission = await beginAttempt(windows);
  if (admission.kind === 'admitted') return;
  const full = windows.find(({ key }) => admission.kind === 'in-flight' && admission.keys.includes(key));
  const retryAfterSeconds =
    admission.kind === 'used-up' ? admission.waitSeconds : (full?.windowSeconds ?? 60);
  const code = retryAfterSeconds > 60 ? 'changes.hourly' : 'changes.minutely';
  throw new Refused(code, {}, { retryAfterSeconds });
}

/**
 * Counts clients that programs create, because these have no owner and so no quota of an owner applies. The daily
 * limit equals the number of clients that a user can own. Above it, the call throws `Refused` and records
 * attempts.limited.
 */
export async function countNewClient(actor: Actor): Promise<void> {
  if (actor.kind !== 'machine') return;
  const { clientsPerOwner } = settings();
  const limit = attemptLimit('new-clients', actor.clientId, clientsPerOwner, 86_400);
  const { id: requestId, ip } = actor.request;
  try {
    await countAttempt([limit], { clientId: actor.clientId, requestId, ip });
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    const { waitSeconds: retryAfterSeconds } = error;
    throw new Refused('holdings.program', { most: clientsPerOwner }, { retryAfterSeconds });
  }
}

/** Runs an edit in a transaction: counts the edit, reads the roles again, and checks the quota. */
export async function editOwn<T>(actor: Actor, work: (db: Db) => Promise<T>): Promise<T> {
  if (isHost(actor) || isUnlimited(actor)) return inTransaction(work);
  await countEdit(actor);
  // a client that a program creates has no owner; countNewClient limits the number of such clients
  if (actor.kind === 'machine') return inTransaction(work);
  return inTurn(actor.id, async (db) => {
    const owner = await lockOwner(db, actor.id);
    if (!owner || owner.disabled || !DEVELOPERS.some((role) => owner.roles.includes(role))) {
      throw new Refused('right.ended', { actor: nameOf(actor) });
    }
    const before = await selectHoldings(db, actor.id);
    const result = await work(db);
    refuseGrowth(before, await selectHoldings(db, actor.id));
    return result;
  });
}

const turns = new Map<string, Promise<unknown>>();

/** Serializes the transactions of a user, so that waiting for the lock occupies no database connection. */
async function inTurn<T>(personId: string, work: (db: Db) => Promise<T>): Promise<T> {
  const before = turns.get(personId);
  const mine = (async () => {
    await before;
    return inTransaction(work);
  })();
  const over = mine.then(
    () => {},
    () => {},
  );
  turns.set(personId, over);
  try {
    return await mine;
  } finally {
    if (turns.get(personId) === over) turns.delete(personId);
  }
}

/** Rejects only growth, so that users above a limit can still reduce what they own. */
function refuseGrowth(before: Holdings, after: Holdings): void {
  const { clientsPerOwner } = settings();
  const most: [keyof Holdings, number][] = [
    ['clients', clientsPerOwner],
    ['bytes', clientsPerOwner * BYTES_EACH],
    ['subscriptions', clientsPerOwner * SUBSCRIPTIONS_EACH],
  ];
  const over = most.find(([what, max]) => after[what] > max && after[what] > before[what]);
  if (over) throw new Refused(`holdings.${over[0]}`, { most: over[1] });
}

// If the right is missing or the object belongs to another person, the audit log records the rejection, even though
// the operation itself was rolled back.

export type Context = { actor: Actor; db: Db };
type Run<Input extends unknown[], Result> = (context: Context, ...input: Input) => Promise<Result>;
export type NoFields = z.ZodObject<Record<never, never>>;
type Operation<Input extends unknown[], Result, Shape extends z.ZodObject> = {
  (actor: Actor, ...input: Input): Promise<Result>;
  readonly terms: Required<Omit<Terms, 'shape'>> & { shape?: Shape; output?: Answers };
};

/** `input`: schema of the input, which the operation parses. `output`: response, if the management API has a route. */
export function operation<
  Schema extends z.ZodObject,
  More extends unknown[],
  Result,
  Shape extends z.ZodObject = Schema,
>(
  terms: Terms & { input: Schema; shape?: Shape; output?: Output<Result> },
  run: Run<[z.output<Schema>, ...More], Result>,
): Operation<[z.input<Schema>, ...More], Result, Shape>;
export function operation<Input extends unknown[], Result, Shape extends z.ZodObject = NoFields>(
  terms: Terms & { shape?: Shape; output?: Output<Result> },
  run: Run<Input, Result>,
): Operation<Input, Result, Shape>;
export function operation<Input extends unknown[], Result>(
  {
    name,
    right,
    fresh = 'never',
    runsOn = 'pool',
    input: schema,
    shape = schema,
    output,
  }: Terms & { input?: z.ZodObject; output?: Output<Result> },
  run: Run<Input, Result>,
): Operation<Input, Result, z.ZodObject> {
  const runOperation = async (actor: Actor, ...given: Input) => {
    try {
      // the right is checked first, because without it a recent sign-in would not help
      if (right !== null) requireAction(actor, ...[right].flat());
      if (fresh === 'always') requireRecent(actor);
      const input: unknown[] = schema ? [parseInput(schema, given[0]), ...given.slice(1)] : given;
      return await on(runsOn, actor, (db) => run({ actor, db }, ...(input as Input)));
    } catch (error) {
      if (isDenial(error)) await note(name, actor, error);
      if (error instanceof UnstorableValue) throw unstorable(name, error);
      throw error;
    }
  };
  const terms = { name, right, fresh, runsOn, ...(shape && { shape }), ...(output && { output }) };
  return Object.assign(runOperation, { terms });
}

function on<Result>(
  what: Required<Terms>['runsOn'],
  actor: Actor,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  if (what === 'pool') return work(currentConnection());
  return what === 'transaction' ? inTransaction(work) : editOwn(actor, work);
}

/**
 * Error for a value that a check of the operation should have rejected. The log contains the name of the
 * operation.
 */
function unstorable(name: string, error: UnstorableValue): Refused {
  log().warn({ err: error, operation: name }, 'a value got as far as the database, which can not hold it');
  return new Refused('input.unstorable');
}

function isDenial(error: unknown): error is Refused {
  return error instanceof Refused && (error.kind === 'forbidden' || error.foreign);
}

async function note(name: string, actor: Actor, { kind, message }: Refused): Promise<void> {
  try {
    const details = { operation: name, answer: kind, reason: message };
    await recordRefusal({ event: 'access.denied', ...authorOf(actor), details });
  } catch (error) {
    log().error({ err: error, operation: name }, 'a refusal could not be written to the audit log');
  }
}

/** Checks only the right, so that the HTTP status is known before the page is rendered. */
export const enter = operation(
  { name: 'enter', right: null },
  async ({ actor }, input: { action: Action | readonly Action[] }): Promise<void> => {
    requireAction(actor, ...[input.action].flat());
  },
);

// Limits per user in 15 minutes. They do not apply to the operator on the host.

type OwnLimit = {
  kind: Parameters<typeof attemptLimit>[0];
  /** distinguishes several limits of the same kind */
  name?: string;
  most: number;
  refusal: 'connection.too_many' | 'find.too_many';
};

/** Counts and runs the work. Above the limit, throws `Refused` with the number of seconds to wait. */
export async function limitedWork<Result>(
  actor: Actor,
  { kind, name, most, refusal }: OwnLimit,
  work: () => Promise<Result>,
): Promise<Result> {
  if (isHost(actor)) return work();
  const { actor: by = '', requestId = '', ip = null } = authorOf(actor);
  const limit = attemptLimit(kind, [name, by].filter(Boolean).join(' '), most);
  const results: Result[] = [];
  const wait = await sendLimited([limit], { requestId, ip }, async () => {
    results.push(await work());
  });
  if (wait !== null) throw new Refused(refusal, {}, { retryAfterSeconds: wait });
  return results[0] as Result;
}
