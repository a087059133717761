// Undoing an import keeps every user who has signed in, even if the rows about the sign-in have expired and were
// deleted.
import { beforeAll, expect, test } from 'vitest';
import { readPersonLine } from '#lib/catalogue/people/person-line.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { sha256 } from '#lib/kit/random.ts';
import { ACTIVITY_EVENTS } from '#lib/registry/audit-event.ts';
import { insertFormerTokens } from '#lib/store/former.ts';
import { findOrCreateIdentity } from '#lib/store/hot/person-facts.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sourcesOf } from '#testing/code/sources.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { TRU } from '#testing/in-process/issuer-host.ts';
import { OPENID_PATH, openIdCode, redeemFor, signInTo } from '#testing/in-process/openid.ts';
import { undoImport, writeBatch } from './moving-in.ts';
import { OPERATOR } from './policy.ts';

/** made with `htpasswd -nbBC 5` for 'correct horse é' */
const BCRYPT = '$2y$05$S459Akfw2wJMZUctPmFoxuP06zi2/9dHMWc4KttQ7mgaJoHmPOrXa';
const emailOf = (name: string) => `${name}@undone.example`;
const idOf = async (name: string) =>
  (await sql<{ id: string }>('select id from people where email = $1', [emailOf(name)]))[0]?.id ?? '';
const token = (form: Record<string, string>) => ask(`${OPENID_PATH}/token`, { form: { ...TRU, ...form } });

/** Each way to sign in, through the protocol's endpoints or through the SQL statement that several ways share. */
const WAYS: Record<string, (name: string) => Promise<unknown>> = {
  page: (name) => signInTo(emailOf(name)),
  code: async (name) => {
    const { cookie } = await signInTo(emailOf(name));
    return redeemFor(TRU, await openIdCode(TRU, { cookie, scope: 'openid read' }));
  },
  password: async (name) => {
    const given = {
      grant_type: 'password',
      username: emailOf(name),
      password: 'correct horse é',
      scope: 'read',
    };
    expect((await token(given)).status).toBe(200);
  },
  before: async (name) => {
    const brought = {
      sha256: sha256(name).toString('hex'),
      client_id: 'tru',
      api: 'orders',
      auth_method: 'pw',
    };
    const rest = {
      subject: await idOf(name),
      scopes: ['read'],
      auth_time: null,
      expires_at: new Date(Date.now() + 9e6),
    };
    await inTransaction((db) => insertFormerTokens(db, [{ ...brought, ...rest }], false));
    expect((await token({ grant_type: 'refresh_token', refresh_token: name })).status).toBe(200);
  },
  broker: async (name) => {
    const method = (await currentSnapshot()).methods.get('brk');
    const said = { email: null, name: null, emailVerified: false, claims: {}, saidAt: null };
    await findOrCreateIdentity({
      ...said,
      authMethodId: 'brk',
      subject: name,
      methodEpoch: method?.epoch ?? '',
    });
  },
  // a user who never signed in, but whom administrators made owner of a client
  owner: async (name) => sql("update clients set owner_id = $1 where client_id = 'tru'", [await idOf(name)]),
};

beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
});

test('undo of an import keeps owners of clients and users who signed in by any method or token, and removes the others', async () => {
  const lines = ['never', ...Object.keys(WAYS)].map((name, number) => {
    const identities = [{ auth_method: 'brk', subject: name }];
    const read = readPersonLine(
      JSON.stringify({ email: emailOf(name), password: { hash: BCRYPT }, identities }),
    );
    if ('faults' in read) throw new Error(read.faults.join());
    return { number, person: read.person };
  });
  const snapshot = await currentSnapshot();
  await inTransaction((db) => writeBatch(db, 'undone', lines, snapshot));
  for (const [name, come] of Object.entries(WAYS)) await come(name);
  // simulates that months have passed, and that expired rows were deleted
  for (const table of [
    'opaque_tokens',
    'refresh_tokens',
    'codes',
    'token_families',
    'sessions',
    'former_tokens',
  ])
    await sql(`delete from ${table}`);
  await sql('update people set last_sign_in_at = null');
  expect(await undoImport(OPERATOR, { run: 'undone' })).toEqual({
    removed: 1,
    stayed: Object.keys(WAYS).length,
  });
  expect(await idOf('never')).toBe('');
});

test('each statement that creates a session or token family writes an event that import undo recognizes', () => {
  const beginning = sourcesOf('store').flatMap(({ file, text }) =>
    [...text.matchAll(/insert into (?:token_families|sessions|codes) [\s\S]*?(?=`,?\n|$)/g)].map(([one]) => ({
      file,
      one,
    })),
  );
  expect(beginning.length).toBeGreaterThan(5);
  for (const { file, one } of beginning)
    expect(
      ACTIVITY_EVENTS.some((event) => one.includes(`'${event}'`)),
      file,
    ).toBe(true);
});
