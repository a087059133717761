// Import of users: each line is imported once despite restarts, and invalid lines are reported with their number.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { exportEvents } from '#lib/audit/audit-log.ts';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import type { SourceFile } from '#lib/kit/source-file.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { refusal, sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { asStranger, typed } from '#testing/in-process/typed.ts';
import { importPeople, undoImport } from './moving-in.ts';
import { OPERATOR } from './policy.ts';

/** made with `htpasswd -nbBC 5` and `htpasswd -nbs` for 'correct horse é' */
const BCRYPT = '$2y$05$S459Akfw2wJMZUctPmFoxuP06zi2/9dHMWc4KttQ7mgaJoHmPOrXa';
const FAST = '{SHA}/8wfRUGm8tTSBrWrjhQj2hPe5cw=';
const ID = '11111111-1111-4111-8111-111111111111';

const fileOf = (...lines: (object | string)[]): SourceFile => {
  const text = lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)).join('');
  const bytes = Buffer.from(text);
  return {
    name: 'people.jsonl',
    chunks: async function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    },
  };
};

/** `stopAfter`: number of batches after which the end of the process is simulated. */
async function imported(file: SourceFile, { dryRun = false, stopAfter = Number.POSITIVE_INFINITY } = {}) {
  let run = '';
  const begun = (read: { run: string }) => {
    run = read.run;
  };
  const faults: string[] = [];
  let batches = 0;
  const progress = (found: readonly { line: number; because: string }[]) => {
    faults.push(...found.map(({ line, because }) => `${line}: ${because}`));
    batches += 1;
    if (batches >= stopAfter) throw new Error('stopped');
  };
  const totals = await importPeople(OPERATOR, { file, dryRun, begun, progress }).catch((error: Error) => {
    if (error.message !== 'stopped') throw error;
    return null;
  });
  return { run, faults, totals };
}

beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  await sql(
    `insert into auth_methods (id, type, name) values ('github', 'broker', 'GitHub') on conflict do nothing`,
  );
  await sql(`insert into groups (id, name) values ('staff', 'Staff') on conflict do nothing`);
});
afterEach(() => sql('delete from people where import_run is not null'));

const ADA = {
  id: ID,
  subject: 'auth0|5f7c8ec7c33c6c004bbafe82',
  email: 'Ada@example.com',
  email_verified: true,
  username: 'Ada',
  given_name: 'Ada',
  family_name: 'Lovelace',
  created_at: '2020-02-03T04:05:06.000Z',
  disabled: true,
  must_change_password: true,
  password: { hash: BCRYPT },
  roles: ['developer'],
  groups: ['staff'],
  identities: [{ auth_method: 'github', subject: '4711', email: 'ada@example.com', name: 'ada' }],
  totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' },
  consents: [{ client_id: 'nobody', api: 'orders', scopes: ['read'] }],
};

test('an import stores every member of a line, writes the audit log, and sends no mail', async () => {
  const { run, faults, totals } = await imported(fileOf(ADA));
  expect([faults, totals]).toEqual([[], { imported: 1, unchanged: 0, refused: 0, unkept: 0 }]);
  const [row] = await sql(`select p.*, p.disabled_at is not null as disabled, p.created_at::text as made,
    (select count(*)::int from totp_secrets t where t.person_id = p.id) as apps, i.claims, i.name as known,
    array(select group_id from group_members g where g.person_id = p.id) as groups
    from people p join external_identities i on i.person_id = p.id where p.id = '${ID}'`);
  expect(row).toMatchObject({
    ...{
      subject: ADA.subject,
      email: 'ada@example.com',
      username: 'ada',
      name: 'Ada Lovelace',
      disabled: true,
    },
    ...{ password_hash: BCRYPT, must_change_password: true, roles: ['developer'], import_run: run },
    ...{
      groups: ['staff'],
      factor_level: 2,
      apps: 1,
      known: 'ada',
      claims: { given_name: 'Ada', family_name: 'Lovelace' },
    },
  });
  expect(row?.['made']).toMatch(/^2020-02-03/);
  expect(await currentSnapshot()).toMatchObject({ keptSubjects: true, usernames: true });
  expect(await sql('select 1 from mail_tokens')).toEqual([]);
  const events = [];
  for await (const { event, details } of exportEvents({ events: ['people.imported'] }))
    events.push({ event, details });
  expect(events).toEqual([
    { event: 'people.imported', details: { run, imported: 1, unchanged: 0, refused: 0 } },
  ]);
});

test('imported passwords work, and a fast hash is stored only inside a slow hash', async () => {
  const bob = { email: 'bob.fast@example.com', password: { hash: FAST } };
  await imported(fileOf({ ...ADA, disabled: false }, bob));
  const [stored] = await sql(`select password_hash as hash from people where email = '${bob.email}'`);
  expect(stored?.['hash']).toMatch(/^\$kept\$aftersha1=1\$\$argon2id\$/);
  const method = (await currentSnapshot()).methods.get('pw');
  const verify = (name: string) =>
    method && authMethodOf(method).verifyPassword?.(name, typed('correct horse é'), asStranger);
  for (const name of ['ada@example.com', 'ADA', bob.email])
    expect((await verify(name))?.kind).toBe('identity');
});

test('a stored import digest reveals no password and no TOTP secret', async () => {
  const stored = async (line: object) => {
    await sql('delete from people where import_run is not null');
    expect((await imported(fileOf(line))).totals).toMatchObject({ imported: 1 });
    return sql("select import_run, encode(import_digest, 'hex') from people where import_run is not null");
  };
  const first = await stored(ADA);
  const { password: _, totp: __, ...bare } = ADA;
  const others = { totp: { secret: 'KRSXG5CTMVRXEZLU' }, password: { hash: FAST } };
  for (const line of [{ ...bare, ...others }, bare]) expect(await stored(line)).toEqual(first);
  expect((await imported(fileOf(ADA))).totals).toMatchObject({ unchanged: 1 });
  expect(await stored({ ...ADA, name: 'Another' })).not.toEqual(first);
});

test('lines with equal id or address, ignoring case, are one user; the second line is reported', async () => {
  const file = fileOf(
    ADA,
    { ...ADA, id: ID.toUpperCase().replaceAll('1', '1') },
    { ...ADA, name: 'Another' },
    { id: '22222222-2222-4222-8222-222222222222', email: 'ADA@EXAMPLE.COM' },
    { email: 'x@example.com', username: 'ADA' },
    { email: 'y@example.com', subject: ADA.subject },
    { email: 'z@example.com', identities: [{ auth_method: 'github', subject: '4711' }] },
    { email: 'ok@example.com' },
  );
  const expected = [
    `3: ${ID} is here with other content, and is not touched`,
    '4: email ada@example.com is another person’s',
    '5: user name ada is the id, user name or subject of another person',
    `6: subject ${ADA.subject.toLowerCase()} is the id, user name or subject of another person`,
    '7: the identity 4711 of github is another person’s',
  ];
  const totals = { imported: 2, unchanged: 1, refused: 5, unkept: 0 };
  expect(await imported(file, { dryRun: true })).toMatchObject({ faults: expected, totals });
  expect(await sql('select 1 from people where import_run is not null')).toEqual([]);
  expect(await imported(file)).toMatchObject({ faults: expected, totals });
  expect(await imported(file)).toMatchObject({
    faults: expected,
    totals: { imported: 0, unchanged: 3, refused: 5, unkept: 0 },
  });
});

test('import lines that conflict with existing ids, subjects, client names or users change nothing', async () => {
  const [alice] = await sql("select id::text, name from people where email = 'alice@example.com'");
  const { faults } = await imported(
    fileOf(
      { email: 'a1@example.com', subject: ID },
      { id: ID, email: 'a2@example.com' },
      { email: 'a3@example.com', subject: alice?.['id'] },
      { email: 'Alice@Example.com', name: 'Not Alice' },
      { id: alice?.['id'], name: 'Not Alice' },
      { email: 'a5@example.com', groups: ['nobody-knows'] },
      { email: 'a4@example.com', identities: [{ auth_method: 'nowhere', subject: '1' }] },
      { email: 'a6@example.com', username: ID },
      { email: 'a7@example.com', username: alice?.['id'] },
      { email: 'a8@example.com', username: '1234' },
      { email: 'a9@example.com', subject: '1234' },
    ),
  );
  expect(faults).toEqual([
    `2: id ${ID} is the id, user name or subject of another person`,
    `3: subject ${alice?.['id']} is the id, user name or subject of another person`,
    '4: email alice@example.com is another person’s',
    `5: ${alice?.['id']} is here with other content, and is not touched`,
    '6: there is no group nobody-knows',
    '7: there is no authentication method nowhere',
    `8: user name ${ID} is the id, user name or subject of another person`,
    `9: user name ${alice?.['id']} is the id, user name or subject of another person`,
    '11: subject 1234 is the id, user name or subject of another person',
  ]);
  expect(await sql("select id::text, name from people where email = 'alice@example.com'")).toEqual([alice]);
});

test('an invalid hash (2x, cost 31, no length), a NUL character and a lone surrogate are reported with their line', async () => {
  const { faults, totals } = await imported(
    fileOf(
      { email: 'h1@example.com', password: { hash: BCRYPT.replace('2y', '2x') } },
      { email: 'h2@example.com', password: { hash: BCRYPT.replace('$05$', '$31$') } },
      { email: 'h3@example.com', password: { hash: '$pbkdf2-sha256$i=1000$c2FsdA$' } },
      '{"email":"h4@example.com","name":"a\\u0000"}\n',
      '{"email":"h5@example.com","name":"\\ud800"}\n',
      { email: 'h6@example.com' },
    ),
  );
  expect(faults.map((one) => one.slice(0, 40))).toEqual([
    '1: password.hash cannot come along: bcry',
    '2: password.hash cannot come along: bcry',
    '3: password.hash cannot come along: no k',
    '4: name contains a NUL character',
    '5: name contains half of a surrogate pai',
  ]);
  expect(totals).toMatchObject({ imported: 1, unchanged: 0, refused: 5 });
});

test('an import file that is truncated within a line imports nothing', async () => {
  await expect(imported(fileOf(ADA, '{"email":"cut@exam'))).rejects.toThrow('people.jsonl:2: is not JSON');
  await expect(imported(fileOf(ADA, '{"email":"cut@example.com"}'))).resolves.toMatchObject({ faults: [] });
});

/** three batches, of which the last contains a single line */
const PEOPLE = 1_001;
const many = fileOf(
  ...Array.from({ length: PEOPLE }, (_, n) => ({
    ...{ email: `n${n}@many.example`, username: `many${n}`, name: `N ${n}`, password: { hash: BCRYPT } },
    ...(n % 3 === 0 && { subject: `auth0|${n}` }),
    ...(n % 5 === 0 && { identities: [{ auth_method: 'github', subject: String(n) }] }),
  })),
);
const everything = async () => [
  await sql(`select id, subject, email, username, name, password_hash, import_run, encode(import_digest, 'hex') as digest
    from people where import_run is not null order by id`),
  await sql('select auth_method_id, subject, person_id from external_identities order by 1, 2'),
];

test('an import of 1,001 users, restarted twice, counts as one run, and undo removes users without sign-in', async () => {
  const { run } = await imported(many);
  const once = await everything();
  expect(once[0]).toHaveLength(PEOPLE);
  expect(await undoImport(OPERATOR, { run })).toEqual({ removed: PEOPLE, stayed: 0 });
  expect(await everything()).toEqual([[], []]);
  for (const stopAfter of [1, 2]) expect((await imported(many, { stopAfter })).totals).toBeNull();
  expect((await imported(many)).totals).toEqual({ imported: 1, unchanged: 1_000, refused: 0, unkept: 0 });
  expect(await everything()).toEqual(once);
  await sql(
    "update people set last_sign_in_at = now() where email in ('n1@many.example', 'n2@many.example')",
  );
  expect(await undoImport(OPERATOR, { run })).toEqual({ removed: PEOPLE - 2, stayed: 2 });
});

test('undo of an unknown import run returns an error that names the run and lists the existing runs', async () => {
  const none = await refusal(undoImport(OPERATOR, { run: 'no-such-run' }));
  expect(none).toMatchObject({ code: 'import.no_runs', message: expect.stringContaining('no-such-run') });
  const { run } = await imported(fileOf(ADA));
  const unknown = await refusal(undoImport(OPERATOR, { run: 'no-such-run' }));
  expect(unknown).toMatchObject({ code: 'import.unknown_run', kind: 'not-found' });
  expect(unknown?.message).toContain(`there is no import no-such-run: the existing runs are ${run}`);
});

test('an imported claim of 20 KB is dropped and reported, and its user is imported', async () => {
  const claims = { bio: 'x'.repeat(20_480), department: 'engines' };
  const { faults, totals } = await imported(fileOf({ ...ADA, claims }));
  expect(totals).toMatchObject({ imported: 1, refused: 0 });
  expect(faults).toEqual(['1: left out: claims.bio has 20482 bytes: all claims together have at most 16384']);
});

test('a user name that the database rejects fails only its line, and later lines continue', async () => {
  await sql(`create function refuse_rita() returns trigger language plpgsql as $$ begin
    if new.username = 'rita' then raise unique_violation; end if; return new; end $$`);
  await sql('create trigger refuse_rita before insert on people for each row execute function refuse_rita()');
  const names = ['rosa', 'rita', 'rudi'];
  const { faults, totals } = await imported(fileOf(...names.map((username) => ({ username }))));
  await sql('drop function refuse_rita cascade');
  expect(faults).toEqual(['2: one of its names was taken meanwhile']);
  expect(totals).toMatchObject({ imported: 2, refused: 1 });
});
