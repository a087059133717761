// A client's secret of which only the hash of another service is known.
import { z } from 'zod';
import { readHash } from '#lib/moving-in/people/hash-text.ts';

const KINDS = ['bcrypt', 'pbkdf2'];

/** Why it can be none; null: it can. */
function fault(text: string): string | null {
  const read = readHash(text);
  if (read.form === 'refused') return read.because;
  return KINDS.includes(read.kind) ? null : `it is ${read.kind}`;
}

export const keptSecretHash = z.string().superRefine((text, context) => {
  const because = fault(text);
  if (because !== null)
    context.addIssue({ code: 'custom', message: `must be a bcrypt or PBKDF2 hash: ${because}` });
});

/** As it is stored: several programs write the same hash in ways of their own. */
export function inOneForm(text: string): string {
  const read = readHash(text);
  return read.form === 'refused' ? text : read.hash;
}
