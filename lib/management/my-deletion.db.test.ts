// A user deletes their account: which data is deleted, which data stays, and what happens to tokens of requests in
// progress.
import { beforeEach, expect, it } from 'vitest';
import { enablePerson, grantRole } from '#lib/catalogue/people/operations.ts';
import { readConsoleActor } from '#lib/sessions/console.ts';
import { countSurvivors, givenSubscribedShop, startLoops } from '#testing/data/issuing.ts';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  mailTo,
  PASSWORD,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { signInToConsole } from './console-sign-in.ts';
import { changeMyProfile, deleteMyAccount, previewMyDeletion } from './my-account.ts';
import { OPERATOR } from './policy.ts';

beforeEach(() => givenEmptyRegistry());

const word = 'delete';
const browser = { cookieHeader: undefined, ip: null, userAgent: null, requestId: 'r1' };
const idsOf = async (table: string) => (await sql(`select * from ${table}`)).length;
const kinds = async (work: Promise<unknown>[]) =>
  (await Promise.all(work.map(refusal))).map((refused) => refused?.kind ?? 'done').toSorted();

it('the deletion of an account removes user, sessions and tokens, keeps applications, and notifies user and administrators', async () => {
  const alice = await givenPerson('alice', 'developer');
  await givenPerson('chief', 'administrator');
  await givenClient(alice);
  const signedIn = await signInToConsole({
    ...browser,
    authMethodId: 'local',
    username: 'alice@example.com',
    password: PASSWORD,
  });
  const cookie = signedIn.kind === 'signed-in' ? signedIn.cookie.split(';')[0] : undefined;
  expect(await previewMyDeletion(alice)).toEqual({
    sessions: 1,
    consents: 0,
    clients: [{ clientId: 'shop', name: 'shop' }],
    managed: false,
    onlyAdministrator: false,
  });
  await deleteMyAccount(alice, { word: ' Delete ' });
  expect(await readConsoleActor(cookie, null)).toBeNull();
  expect(await sql('select email from people')).toEqual([{ email: 'chief@example.com' }]);
  expect(await sql('select client_id, owner_id, disabled_at from clients')).toEqual([
    { client_id: 'shop', owner_id: null, disabled_at: null },
  ]);
  expect(await events('person.removed')).toMatchObject([
    { actor: alice.id, person_id: alice.id, details: {} },
  ]);
  expect((await mailTo('alice@example.com'))[0]?.subject).toContain('your account is deleted');
  expect((await mailTo('chief@example.com'))[0]?.text).toContain('/admin/clients/shop');
});

it.each(['', 'yes', 'delete me', 'alice@example.com', 'x'.repeat(60_000)])(
  'no account is deleted if the typed confirmation word is wrong (%#)',
  async (typed) => {
    const alice = await givenPerson('alice');
    expect((await refusal(deleteMyAccount(alice, { word: typed })))?.faults).toMatchObject([
      { field: 'word' },
    ]);
    expect(await idsOf('people')).toBe(1);
    expect(await events('person.removed')).toEqual([]);
  },
);

it('the last administrator cannot be deleted, even concurrently', async () => {
  const [a, b] = [await givenPerson('a', 'administrator'), await givenPerson('b', 'administrator')];
  expect(await kinds([deleteMyAccount(a, { word }), deleteMyAccount(b, { word })])).toEqual([
    'conflict',
    'done',
  ]);
  expect(await idsOf('people')).toBe(1);
  const [left] = await sql<{ id: string }>('select id from people');
  expect((await previewMyDeletion({ ...a, id: left?.id ?? '' })).onlyAdministrator).toBe(true);
});

it('of concurrent account deletions one succeeds, and forms in other tabs change nothing', async () => {
  const alice = await givenPerson('alice');
  const outcomes = await kinds(Array.from({ length: 8 }, () => deleteMyAccount(alice, { word })));
  expect(outcomes).toEqual(['done', ...Array.from({ length: 7 }, () => 'not-found')]);
  expect(await events('person.removed')).toHaveLength(1);
  expect((await refusal(changeMyProfile(alice, { name: 'Alice' })))?.kind).toBe('not-found');
  expect(await mailTo('alice@example.com').then((mails) => mails.length)).toBeGreaterThan(0);
});

it('an account deletion at the same time as other changes is atomic', async () => {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const alice: Person = await givenPerson(`alice${attempt}`);
    const done = await Promise.all([
      refusal(deleteMyAccount(alice, { word })),
      refusal(changeMyProfile(alice, { name: 'Alice', locale: 'de' })),
      refusal(grantRole(OPERATOR, { id: alice.id, role: 'developer' })),
      refusal(enablePerson(OPERATOR, { id: alice.id })),
    ]);
    expect(done[0]).toBeNull();
    for (const refused of done) expect([undefined, 'not-found', 'stale']).toContain(refused?.kind);
    expect(await sql('select 1 from people where id = $1', [alice.id])).toEqual([]);
  }
});

it('the deletion of an account also ends codes and tokens of eight concurrent loops, in five rounds', async () => {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const alice = await givenSubscribedShop();
    const loops = await startLoops(alice, 'consent');
    await deleteMyAccount(alice, { word });
    await loops.stop();
    expect(await countSurvivors(loops.given), `attempt ${attempt}`).toBe(0);
    for (const table of ['sessions', 'token_families', 'consents'])
      expect(await sql(`select 1 from ${table} where person_id = $1`, [alice.id]), table).toEqual([]);
  }
}, 120_000);
