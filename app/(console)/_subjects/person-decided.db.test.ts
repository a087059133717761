// Two users decide at the same time on a waiting user: the second decider sees the first decision, and keeps the
// typed text.

import { beforeAll, beforeEach, expect, it } from 'vitest';
import { wordsOf } from '#lib/language/words.ts';
import { Refused } from '#lib/management/refused.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { askedFor, newAddress, nobodyWaits } from '#testing/in-process/registering.ts';
import type { ConsoleForm } from '../_kit/console-form.ts';
import { Fields } from '../_kit/posted.ts';
import { decideForms } from './decision-forms.ts';

let deciders: readonly ConsoleActor[];
beforeAll(async () => {
  await givenFixtures();
  const judge = async (name: string): Promise<ConsoleActor> => {
    const person = await givenPerson(name, 'approver');
    const session = { idHash: Buffer.alloc(32), authMethodId: 'local', level: 1 } as const;
    return { ...person, email: `${name}@example.com`, name, locale: null, session, signedInAt: new Date() };
  };
  deciders = [await judge('first-judge'), await judge('second-judge')];
});
beforeEach(nobodyWaits);

const form = decideForms['person-decide'] as ConsoleForm;
const browser = {
  cookieHeader: undefined,
  userAgent: null,
  requestId: 'r',
  ip: null,
  pageLanguage: 'en',
} as const;

const decide = (actor: ConsoleActor, entries: Record<string, string>) =>
  form.run(actor, new Fields(Object.entries(entries)), { area: 'admin', browser });

const waitingId = async (email: string) => {
  const [row] = await sql<{ id: string }>('select id from person_registrations where email = $1', [email]);
  return row?.id ?? '';
};

it.each([
  [{ action: 'approve' }, { action: 'explain', reason: 'No, wrong team.' }],
  [{ action: 'reject' }, { action: 'approve' }],
  [{ action: 'approve' }, { action: 'approve' }],
])(
  'of the concurrent decisions %j and %j, one succeeds, and the other page shows who decided, what and when',
  async (one, other) => {
    for (let at = 0; at < 10; at += 1) {
      const email = newAddress();
      expect(await askedFor(email)).toBe('waits');
      const id = await waitingId(email);
      const asked = [
        { id, ...one },
        { id, ...other },
      ];
      const outcomes = await Promise.all(deciders.map((actor, n) => decide(actor, asked[n] ?? {})));
      expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['done', 'refused']);
      const winner = outcomes.findIndex(({ kind }) => kind === 'done');
      const how = asked[winner]?.action === 'approve' ? 'approved' : 'rejected';
      const loser = outcomes[1 - winner];
      expect(loser).toMatchObject({ kind: 'refused', status: 409 });
      expect(loser?.kind === 'refused' && wordsOf('en').told(loser.told)).toMatch(
        new RegExp(
          `^Your decision was not saved: ${deciders[winner]?.email} has already decided \\(${how}, [\\d -]+:\\d\\d UTC\\)\\. Your text is kept below\\.$`,
        ),
      );
    }
  },
);

it('a decision on a user without a pending request is rejected', async () => {
  const id = '00000000-0000-4000-8000-000000000000';
  const outcome = await decide(deciders[0] as ConsoleActor, { id, action: 'approve' });
  expect(outcome).toMatchObject({
    kind: 'refused',
    told: { text: expect.stringContaining('is not pending') },
  });
  await expect(
    decide({ ...deciders[0], roles: [] } as ConsoleActor, { id, action: 'approve' }),
  ).rejects.toBeInstanceOf(Refused);
});
