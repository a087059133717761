// What every operation has in common: whoever is refused for want of a right, or reaches for what is another's, leaves
// a line in the audit log, although the operation itself was rolled back.
import { log } from '#lib/kit/index.ts';
import { recordRefusal } from '#lib/store/index.ts';
import { type Action, type Actor, auditName, requireAction } from './policy.ts';
import { Refused } from './refused.ts';

type Operation<Input extends unknown[], Result> = (actor: Actor, ...input: Input) => Promise<Result>;

export function operation<Input extends unknown[], Result>(
  name: string,
  run: Operation<Input, Result>,
): Operation<Input, Result> {
  return async (actor, ...input) => {
    try {
      return await run(actor, ...input);
    } catch (error) {
      if (isDenial(error)) await note(name, actor, error);
      throw error;
    }
  };
}

function isDenial(error: unknown): error is Refused {
  return error instanceof Refused && (error.kind === 'forbidden' || error.foreign);
}

async function note(name: string, actor: Actor, { kind, message }: Refused): Promise<void> {
  try {
    const details = { operation: name, answer: kind, reason: message };
    await recordRefusal({ event: 'access.denied', actor: auditName(actor), details });
  } catch (error) {
    log().error({ err: error, operation: name }, 'a refusal could not be written to the audit log');
  }
}

/** Only asks for the right, and notes its want: for whoever must know the answer's status before the page runs. */
export const enter = operation('enter', async (actor, input: { action: Action }): Promise<void> => {
  requireAction(actor, input.action);
});
