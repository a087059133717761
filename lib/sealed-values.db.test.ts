// Table of every value sealed into a cookie, address or form: its basis, the endings (events such as a new
// password) that invalidate it, and the endings that it survives. New code that seals a value needs a row in the table.
// The test presents each value after each ending. lib/store/sealed.ts covers seals of database rows.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import type { EndingName } from '#testing/allowed/allowed.ts';
import { ACTS } from '#testing/allowed/allowed-acts.ts';
import { givenWorld } from '#testing/allowed/allowed-world.ts';
import { PRESENTED } from '#testing/allowed/sealed-presented.ts';
import { isTest, sourcesIn } from '#testing/code/sources.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';

/**
 * Endings in testing/allowed/allowed.ts that can affect a user, browser, method or client. The functions in that file
 * perform them.
 */
const ENDINGS = {
  epoch: 'signed out everywhere',
  password: 'password set',
  address: 'address changed',
  factor: 'factors reset',
  block: 'person disabled',
  browsers: 'browsers forgotten',
  consent: 'consent withdrawn',
  invitation: 'invitation withdrawn',
  method: 'method deleted',
  client: 'client disabled',
} as const satisfies Record<string, EndingName>;
type Ending = keyof typeof ENDINGS;

type Row = {
  /** number of calls in the file that seal a value */
  calls: number;
  in: 'cookie' | 'address' | 'form' | 'row';
  /** the longest time for which the value can be opened */
  life: string;
  /**
   * Endings that invalidate the value permanently, even if the ending is undone. The value survives every other
   * ending.
   */
  ends: readonly Ending[];
  /** Endings that suspend the value until the ending is undone. */
  holds?: readonly Ending[];
  /** the reason why the value survives every other ending */
  because: string;
};

/** Endings that revoke every session of a user, including deletion of the method. */
const SESSION = ['epoch', 'password', 'address', 'factor', 'block', 'method'] as const;
/** Keyed by file. The key of a second value in the same file has a description after a comma. */
const SEALED: Record<string, Row> = {
  'lib/sessions/sign-in.ts': {
    ...{ calls: 1, in: 'cookie', life: 'SESSION_MAX_SECONDS', ends: SESSION },
    because:
      'an id alone: its row ends. An address that the person changed by two codes ends none, one that an administrator set ends all',
  },
  'lib/sessions/console.ts': {
    ...{ calls: 1, in: 'cookie', life: 'SESSION_MAX_SECONDS', ends: SESSION },
    because: 'as a sign-in',
  },
  'lib/sessions/trusted-browser.ts': {
    ...{ calls: 1, in: 'cookie', life: 'TRUSTED_BROWSER_DAYS' },
    ends: ['password', 'factor', 'block', 'browsers', 'method'],
    because:
      'a token whose row is deleted; it spares the second step alone, after a first one that every ending asks for again',
  },
  'lib/sessions/known-device.ts': {
    ...{ calls: 1, in: 'cookie', life: '90 days', ends: ['epoch', 'password', 'address', 'factor', 'block'] },
    because:
      'it holds the epoch of the person, so what ends the sign-ins of the person ends it. It signs nobody in; the limit that it gives is of the account, which all local methods share',
  },
  'lib/sessions/page-state.ts': {
    ...{ calls: 1, in: 'row', life: '10 minutes', ends: SESSION },
    because: 'of one console session, which ends; the method’s epoch is compared when it is used',
  },
  'lib/sign-in/steps.ts': {
    ...{ calls: 1, in: 'address', life: '10 minutes', ends: SESSION },
    because:
      'the right password of one browser, with the epochs of the person and of the method then; all it is good for is a new password',
  },
  'lib/management/console-sign-in.ts': {
    ...{ calls: 1, in: 'cookie', life: '10 minutes', ends: SESSION },
    because: 'it holds the sealed right password of the row above',
  },
  'lib/sessions/transaction.ts': {
    ...{ calls: 1, in: 'form', life: '10 minutes', ends: [] },
    because: 'it says which browser was given a form, and nothing of a person',
  },
  'lib/oauth/authorize/interaction.ts': {
    ...{ calls: 1, in: 'address', life: '10 minutes', ends: SESSION, holds: ['client'] },
    because:
      'what was proved in it is named by a session, and what is asked by the client and the method; each is looked at when a code is asked for',
  },
  'lib/oauth/broker.ts': {
    ...{ calls: 1, in: 'address', life: '10 minutes', ends: ['method'], holds: ['client'] },
    because:
      'the request of a person who is away at a broker: nobody has signed in yet. Its row is used up once, and the client is looked at when the person comes back',
  },
  'lib/oauth/broker.ts, name of a form': {
    ...{ calls: 1, in: 'address', life: 'as the state beside it', ends: [] },
    because:
      'the name that a form called the person, on its way to the next address: it counts with the state that it came with, which is looked at by itself',
  },
  'lib/oauth/sign-out-request.ts': {
    ...{ calls: 1, in: 'address', life: '10 minutes', ends: [] },
    because: 'it ends sign-ins, of the browser that holds it',
  },
  'lib/oauth/openid.ts': {
    ...{ calls: 1, in: 'address', life: 'no end, as the ID token that it stands for', ends: ['method'] },
    because: 'it names a person to an issuer, while that is there, and signs nobody in',
  },
  'lib/oauth/pages/register.ts': {
    ...{ calls: 1, in: 'cookie', life: '10 minutes', ends: ['invitation', 'method'] },
    because: 'text of a form that came back, for the same invitation alone; the invitation is a row',
  },
  'lib/factors/passkeys.ts': {
    ...{ calls: 1, in: 'form', life: '5 minutes', ends: ['factor'], holds: ['block'] },
    because:
      'a challenge of one browser: what answers it is a key of a row, whose person must not be disabled then',
  },
  'lib/factors/totp.ts': {
    ...{ calls: 1, in: 'form', life: '10 minutes', ends: SESSION },
    because: 'a secret that counts for nothing until a session that lives adds it',
  },
  'app/(console)/_kit/test-result.ts': {
    ...{ calls: 1, in: 'row', life: '10 minutes', ends: [] },
    because:
      'what a connection test found, for the session that asked: the page looks at the session and at the right',
  },
  'app/(console)/_kit/draft.ts': {
    ...{ calls: 2, in: 'row', life: '1 hour, in the cookie of a browser 10 minutes', ends: [] },
    because:
      'text that was typed, for the person or the browser that typed it: it never holds a password, secret or code',
  },
  'app/(console)/_kit/notices.ts': {
    ...{ calls: 1, in: 'row', life: '10 minutes, and once', ends: [] },
    because: 'says what was done, to the session that did it; it allows nothing',
  },
};

const CALL = /(?<!function )\b(?:seal|sealJson|sealCookie|storeInSession|storeInBrowser)\(/g;
/** The files that implement sealing, or that seal values for rows of the database. */
const OTHERS = ['lib/kit/seal.ts', 'lib/sessions/session-rows.ts', 'lib/store/sealed.ts'];

test('the table of this test lists every file that seals a cookie, address or form', () => {
  const sources = sourcesIn('lib', 'app').filter(({ file }) => !isTest(file) && !OTHERS.includes(file));
  const found = sources.flatMap(({ file, text }) => {
    const calls = text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '').match(CALL)?.length ?? 0;
    return calls === 0 ? [] : [[file, calls] as const];
  });
  const said: Record<string, number> = {};
  for (const [key, { calls }] of Object.entries(SEALED)) {
    const [file = ''] = key.split(',');
    said[file] = (said[file] ?? 0) + calls;
  }
  expect(Object.fromEntries(found)).toEqual(said);
});

beforeAll(givenFixtures);

const byName = (a: string, b: string) => (a < b ? -1 : 1);

test('for every sealed value in the table, the test has code that creates and presents it', () => {
  expect(Object.keys(PRESENTED).toSorted(byName)).toEqual(Object.keys(SEALED).toSorted(byName));
});

type Fate = 'stays' | 'holds' | 'ends';
const fateOf = ({ ends, holds = [] }: Row, ending: Ending): Fate =>
  ends.includes(ending) ? 'ends' : holds.includes(ending) ? 'holds' : 'stays';

/** Creates every value, performs the ending, undoes it, and returns for each value whether it was still valid. */
async function fatesAfter(ending: Ending | null): Promise<Record<string, Fate>> {
  const world = await givenWorld(randomBytes(4).toString('hex'));
  const values = [];
  for (const [file, give] of Object.entries(PRESENTED)) values.push({ file, present: await give(world) });
  const { end, undo } = ending === null ? { end: async () => {} } : ACTS[ENDINGS[ending]];
  await end(world);
  await currentSnapshot();
  const fates = new Map<string, Fate>();
  for (const { file, present } of values) fates.set(file, (await present()) ? 'stays' : 'ends');
  if (!undo) return Object.fromEntries(fates);
  await undo(world);
  await currentSnapshot();
  for (const { file, present } of values)
    if (fates.get(file) === 'ends' && (await present())) fates.set(file, 'holds');
  return Object.fromEntries(fates);
}

describe('sealed values after a revocation', () => {
  test('every sealed value is accepted before a revocation', async () => {
    const stays = Object.keys(SEALED).map((file) => [file, 'stays']);
    expect(await fatesAfter(null)).toEqual(Object.fromEntries(stays));
  });

  test.each(Object.keys(ENDINGS) as Ending[])(
    'after a revocation of the kind %s, each sealed value is accepted or rejected as the table lists',
    async (ending) => {
      const said = Object.entries(SEALED).map(([file, row]) => [file, fateOf(row, ending)]);
      expect(await fatesAfter(ending)).toEqual(Object.fromEntries(said));
    },
  );
});
