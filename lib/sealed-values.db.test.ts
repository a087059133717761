// Everything that is sealed into a cookie, an address or a form: what it rests on, which endings end it, and which it outlives. A new
// place that seals needs its row. Seals of rows of the database are lib/store/sealed.ts.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  changePerson,
  disablePerson,
  enablePerson,
  endSessionsOf,
  OPERATOR,
  resetFactors,
  setPassword,
} from '#lib/management/index.ts';
import { openProvedSignIn, readSessionHash, sealProvedSignIn } from '#lib/sessions/index.ts';
import { findSignInSession } from '#lib/store/index.ts';
import { givenFixtures } from '#testing/in-process.ts';
import { raisedIn, signInTo } from '#testing/openid.ts';
import { sql } from '#testing/registry.ts';
import { isTest, sourcesIn } from '#testing/sources.ts';
import { giveFactor } from '#testing/step-up.ts';
import { readTrustedBrowser } from './sessions/trusted-browser.ts';

const ENDINGS = ['epoch', 'password', 'method', 'factor', 'address', 'block'] as const;
type Ending = (typeof ENDINGS)[number];

type Row = {
  /** calls that seal in the file */
  calls: number;
  in: 'cookie' | 'address' | 'form';
  /** the longest that it opens */
  life: string;
  ends: readonly Ending[];
  /** why every other ending leaves it */
  because: string;
};

const SESSION = ['epoch', 'password', 'method', 'factor', 'address', 'block'] as const;
const SEALED: Record<string, Row> = {
  'lib/sessions/sign-in.ts': {
    ...{ calls: 3, in: 'cookie', life: 'SESSION_MAX_SECONDS', ends: SESSION },
    because:
      'an id alone: its row ends. An address that the person changed by two codes ends none, one that an administrator set ends all',
  },
  'lib/sessions/console.ts': {
    ...{ calls: 2, in: 'cookie', life: 'SESSION_MAX_SECONDS', ends: SESSION },
    because: 'as a sign-in',
  },
  'lib/sessions/sealing.ts': {
    ...{ calls: 1, in: 'cookie', life: 'as its purpose', ends: SESSION },
    because: 'seals for the two above',
  },
  'lib/sessions/trusted-browser.ts': {
    ...{ calls: 1, in: 'cookie', life: 'TRUSTED_BROWSER_DAYS', ends: ['password', 'factor', 'block'] },
    because:
      'a token whose row is deleted; it spares the second step alone, after a first one that every ending asks for again',
  },
  'lib/sessions/known-device.ts': {
    ...{ calls: 1, in: 'cookie', life: '90 days', ends: ['address'] },
    because: 'it signs nobody in; what it is worth for guessing is a limit of lib/auth-methods/attempts.ts',
  },
  'lib/sessions/proved-sign-in.ts': {
    ...{ calls: 1, in: 'address', life: '10 minutes', ends: SESSION },
    because: 'of one console session, which ends; the method’s epoch is compared when it is used',
  },
  'lib/sessions/transaction.ts': {
    ...{ calls: 1, in: 'form', life: '10 minutes', ends: [] },
    because: 'it says which browser was given a form, and nothing of a person',
  },
  'lib/oauth/authorize/interaction.ts': {
    ...{ calls: 1, in: 'address', life: '10 minutes', ends: SESSION },
    because: 'what was proved in it is named by a session, which must still live when a code is asked for',
  },
  'lib/oauth/pending-sign-in.ts': {
    ...{ calls: 1, in: 'address', life: '10 minutes', ends: ['method'] },
    because:
      'the request of a person who is away at a broker: nobody has signed in yet. Its row is used up once',
  },
  'lib/oauth/openid/sign-out-request.ts': {
    ...{ calls: 1, in: 'address', life: '10 minutes', ends: [] },
    because: 'it ends sign-ins, of the browser that holds it',
  },
  'lib/oauth/openid/hint.ts': {
    ...{ calls: 1, in: 'address', life: 'no end, as the ID token that it stands for', ends: [] },
    because: 'it names a person to us, and signs nobody in',
  },
  'lib/oauth/hosted/invited.ts': {
    ...{ calls: 1, in: 'address', life: 'as the invitation', ends: [] },
    because: 'text of a form that came back, for the same invitation alone; the invitation is a row',
  },
  'lib/factors/passkeys-challenge.ts': {
    ...{ calls: 1, in: 'form', life: '5 minutes', ends: ['factor', 'block'] },
    because:
      'a challenge of one browser: what answers it is a key of a row, whose person must not be disabled',
  },
  'lib/factors/totp.ts': {
    ...{ calls: 1, in: 'form', life: '10 minutes', ends: SESSION },
    because: 'a secret that counts for nothing until a session that lives adds it',
  },
  'app/(console)/_forms/draft.ts': {
    ...{ calls: 1, in: 'address', life: '1 hour', ends: [] },
    because:
      'text that was typed, for the person or the browser that typed it: it never holds a password, secret or code',
  },
  'app/(console)/_forms/told-once.ts': {
    ...{ calls: 1, in: 'address', life: '10 minutes, and once', ends: [] },
    because: 'says what was done, to the person who did it; it allows nothing',
  },
};

const CALL = /(?<!function )\b(?:seal|sealJson|sealCookie)\(/g;
/** The seal itself, and seals of rows. */
const OTHERS = ['lib/kit/seal.ts', 'lib/store/sealed.ts'];

test('each place that seals a cookie, an address or a form says what ends it', () => {
  const sources = sourcesIn('lib', 'app').filter(({ file }) => !isTest(file) && !OTHERS.includes(file));
  const found = sources.flatMap(({ file, text }) => {
    const calls = text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '').match(CALL)?.length ?? 0;
    return calls === 0 ? [] : [[file, calls] as const];
  });
  const said = Object.entries(SEALED).map(([file, { calls }]) => [file, calls]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(said));
});

let personId = '00000000-0000-0000-0000-000000000000';
let cookie: string;

beforeAll(givenFixtures);
beforeEach(async () => {
  await sql("update people set email = 'alice@example.com' where id = $1", [personId]);
  await sql('delete from trusted_browsers');
  ({ personId, cookie } = await signInTo('alice@example.com'));
  await giveFactor(personId);
  ({ cookie } = await signInTo('alice@example.com'));
  cookie = (await raisedIn(personId, cookie)) || cookie;
});

const END: Record<Ending, () => Promise<unknown>> = {
  epoch: () => endSessionsOf(OPERATOR, { personId }),
  password: () => setPassword(OPERATOR, { id: personId, password: `a long one ${randomUUID()}` }),
  method: () =>
    sql("update sessions set ended_at = now() where auth_method_id = 'pw' and person_id = $1", [personId]),
  factor: () => resetFactors(OPERATOR, { id: personId }),
  address: () => changePerson(OPERATOR, { id: personId, email: `moved-${randomUUID()}@example.com` }),
  block: async () => {
    await disablePerson(OPERATOR, { id: personId });
    await enablePerson(OPERATOR, { id: personId });
  },
};

const isSignedIn = async () => {
  const hash = readSessionHash(cookie, 'pw');
  return hash !== null && (await findSignInSession(hash, 'pw')) !== null;
};
const isTrusting = async () => {
  const hash = readTrustedBrowser(cookie, personId, 'pw');
  const rows = await sql('select 1 from trusted_browsers where token_hash = $1', [hash]);
  return rows.length > 0;
};
const VALUES = { 'lib/sessions/sign-in.ts': isSignedIn, 'lib/sessions/trusted-browser.ts': isTrusting };

test.each(
  Object.entries(VALUES).flatMap(([file, counts]) =>
    ENDINGS.filter((ending) => ending !== 'method').map((ending) => ({ file, ending, counts })),
  ),
)('$file after an ending of its $ending is what its row says', async ({ file, ending, counts }) => {
  expect(await counts()).toBe(true);
  await END[ending]();
  expect(await counts()).toBe(!SEALED[file]?.ends.includes(ending));
});

test('a proved sign-in opens for its console session alone', () => {
  const session = Buffer.alloc(32, 1);
  const proved = { authMethodId: 'pw', personId, methodEpoch: '0', at: Date.now() };
  const sealed = sealProvedSignIn({ ...proved, session: session.toString('base64url') });
  expect(openProvedSignIn(sealed, session)).toMatchObject(proved);
  expect(openProvedSignIn(sealed, Buffer.alloc(32, 2))).toBe(null);
});
