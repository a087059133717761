// What ends by itself in the next days: secrets of clients that were rotated with an overlap, and signing keys. The
// secrets of methods have no end that this service knows.
import { ROTATE_AFTER_DAYS } from '#lib/keys/index.ts';
import { now } from '#lib/kit/index.ts';
import type { KeyRow } from '#lib/registry/index.ts';
import { type EndingSecret, usageSums } from '#lib/store/index.ts';
import { operation } from '../core/index.ts';
import { listSigningKeys } from '../registry/index.ts';

const DAYS = 14;
const MOST = 10;
const DAY_MS = 86_400_000;

export type EndingSoon = {
  secrets: EndingSecret[];
  /** `overdue`: it should have been replaced by a new one a day ago or longer */
  keys: { kid: string; alg: string; at: Date; what: 'replaced' | 'overdue' | 'leaves' | 'begins' }[];
};

export const listEndingSoon = operation(
  'listEndingSoon',
  async ({ actor, db }): Promise<EndingSoon> => ({
    secrets: await usageSums.endingSecrets(db, DAYS, MOST),
    keys: (await listSigningKeys(actor)).flatMap(keyEnding),
  }),
);

function keyEnding({ kid, alg, state, signsFrom, retiresAt }: KeyRow): EndingSoon['keys'] {
  const soon = now().getTime() + DAYS * DAY_MS;
  if (state === 'next') return [{ kid, alg, at: new Date(signsFrom), what: 'begins' }];
  const leaves = retiresAt === null ? null : new Date(retiresAt);
  if (state === 'verifies' && leaves && leaves.getTime() < soon)
    return [{ kid, alg, at: leaves, what: 'leaves' }];
  if (state !== 'signs' || leaves) return [];
  const due = new Date(new Date(signsFrom).getTime() + ROTATE_AFTER_DAYS * DAY_MS);
  if (due.getTime() > soon) return [];
  return [{ kid, alg, at: due, what: due.getTime() < now().getTime() - DAY_MS ? 'overdue' : 'replaced' }];
}
