// What every operation has in common: the table of operations.ts says which right it takes, whether it wants a fresh
// sign-in, and what its statements run on. A refusal for a missing right, or of another person's object, leaves a line
// in the audit log, although the operation itself was rolled back.
import { log } from '#lib/kit/log.ts';
import { UnstorableValue } from '#lib/kit/text/storable.ts';
import { currentConnection, type Db, inTransaction } from '#lib/store/database/prisma.ts';
import { recordRefusal } from '#lib/store/log/refusals.ts';
import { OPERATIONS, type OperationName, type Terms } from './operations.ts';
import { type Action, type Actor, requireAction, requireRecent } from './policy.ts';
import { editOwn } from './quotas.ts';
import { authorOf } from './record.ts';
import { Refused } from './refused.ts';

export type Context = { actor: Actor; db: Db };
type Run<Input extends unknown[], Result> = (context: Context, ...input: Input) => Promise<Result>;
type Operation<Input extends unknown[], Result> = (actor: Actor, ...input: Input) => Promise<Result>;

const names = new WeakMap<object, OperationName>();

/** Null for a function that is no operation. */
export const operationName = (one: object): OperationName | null => names.get(one) ?? null;

export function operation<Input extends unknown[], Result>(
  name: OperationName,
  run: Run<Input, Result>,
): Operation<Input, Result> {
  const { right, fresh, runsOn } = OPERATIONS[name];
  const asked: Operation<Input, Result> = async (actor, ...input) => {
    try {
      // the right first: without it a fresh sign-in would not help
      if (right !== null) requireAction(actor, right);
      if (fresh === 'always') requireRecent(actor);
      return await on(runsOn, actor, (db) => run({ actor, db }, ...input));
    } catch (error) {
      if (isDenial(error)) await note(name, actor, error);
      if (error instanceof UnstorableValue) throw unstorable(name, error);
      throw error;
    }
  };
  names.set(asked, name);
  return asked;
}

function on<Result>(what: Terms['runsOn'], actor: Actor, work: (db: Db) => Promise<Result>): Promise<Result> {
  if (what === 'pool') return currentConnection().then(work);
  return what === 'transaction' ? inTransaction(work) : editOwn(actor, work);
}

/** A check of the operation should have refused this value; the log names the operation. */
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

/** Only checks the right, so that the status of the answer is known before the page renders. */
export const enter = operation('enter', async ({ actor }, input: { action: Action }): Promise<void> => {
  requireAction(actor, input.action);
});
