// What an edit would break, shown before it is saved.
import { type EnglishSentence, english } from '#lib/language/message.ts';
import type { Fault } from '#lib/registry/fields/definition.ts';
import type { SubscriptionRow } from '#lib/registry/objects/subscription.ts';
import type { Db } from '#lib/store/database/prisma.ts';
import { countTokens } from '#lib/store/endings/count-tokens.ts';

/** A client at an API. */
export type Pair = { clientId: string; api: string };

export type Consequences = {
  /** what prevents saving */
  faults: Fault[];
  warnings: EnglishSentence[];
  /** approved powerful subscriptions that would wait for approval again */
  returnsToPending: (Pair & { apiName: string; trusted: boolean })[];
  /** what would no longer get tokens */
  losesAccess: Pair[];
  /** living token families that would end, and how many people they belong to */
  endsTokens: number;
  people: number;
};

/** `counted`: numbers that change with every sign-in. They are shown, but are no part of what is agreed to. */
export type Foreseen = Consequences & { counted: EnglishSentence[] };

const MANAGED = english(
  'The configuration file owns this: the next apply sets it back to what the file says.',
);

/** A sentence, where it holds. */
export type Holding = readonly [EnglishSentence, holds: boolean];

/** None but the warnings that hold. `managed`: the configuration file owns what is edited. */
export function consequencesOf(managed: boolean, warnings: readonly Holding[] = []): Consequences {
  const all: readonly Holding[] = [[MANAGED, managed], ...warnings];
  return {
    faults: [],
    warnings: all.flatMap(([warning, holds]) => (holds ? [warning] : [])),
    returnsToPending: [],
    losesAccess: [],
    endsTokens: 0,
    people: 0,
  };
}

/** The tokens that would end. */
export async function countEnding(
  db: Db,
  of: Parameters<typeof countTokens>[1],
): Promise<Pick<Consequences, 'endsTokens' | 'people'>> {
  const { tokens, people } = await countTokens(db, of);
  return { endsTokens: tokens, people };
}

export const approvedPairs = (rows: SubscriptionRow[]): Pair[] =>
  rows.filter((row) => row.state === 'approved').map(({ clientId, api }) => ({ clientId, api }));
