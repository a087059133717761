import { expect, it } from 'vitest';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { convert } from './import-files.ts';
import { Notes } from './notes.ts';

const BCRYPT = `$2b$12$${'a'.repeat(53)}`;

async function converted(
  source: 'jsonl' | 'csv',
  content: string | Uint8Array,
  choices: Record<string, unknown> = {},
) {
  const lines: unknown[] = [];
  const from = {
    source,
    files: [sourceFile('people', content, 7)],
    choices: new Map(Object.entries(choices)),
  };
  const { report } = await convert(from, async (line) => {
    expect(line).toMatch(/^\{.*\}\n$/);
    lines.push(JSON.parse(line));
  });
  const rows = report.rows.filter(({ outcome }) => outcome !== 'carried');
  return { lines, report, rows: rows.map(({ outcome, path, reason }) => `${outcome}: ${path}: ${reason}`) };
}
const jsonl = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

it('jsonl: a line is imported unchanged, and unknown keys are reported', async () => {
  const ada = {
    id: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    email: 'ada@example.com',
    password: { hash: BCRYPT },
    claims: { shoe: { size: 38 } },
    identities: [{ auth_method: 'github', subject: '4711' }],
  };
  const extra = { ...ada, shoe: 38, identities: [{ ...ada.identities[0], colour: 'red' }] };
  const { lines, rows } = await converted('jsonl', jsonl(extra));
  expect(lines).toEqual([ada]);
  expect(rows).toEqual(['not looked at: lines[1].identities[0].colour: ', 'not looked at: lines[1].shoe: ']);
});

it('jsonl: an unsupported hash is dropped, and the user is imported', async () => {
  const { lines, rows } = await converted(
    'jsonl',
    jsonl(
      { email: 'a@example.com', password: { hash: `$2b$31$${'a'.repeat(53)}` } },
      { email: 'b@example.com', password: { hash: '{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9gAAAAAAAAA' } },
    ),
  );
  expect(lines).toEqual([
    { email: 'a@example.com' },
    { email: 'b@example.com', password: { hash: '{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9gAAAAAAAAA' } },
  ]);
  expect(rows).toEqual([
    'left out: lines[1].password.hash: the password cannot be imported: bcrypt of cost 31 is too dear: at most 14',
    'changed: lines[2].password.hash: ldap is a fast hash: people import wraps it in argon2id',
  ]);
});

it('a duplicate id, subject or address, ignoring case, requires a decision of the operator', async () => {
  const id = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';
  const people = jsonl(
    { id, email: 'ada@example.com', username: 'ada' },
    { email: 'ADA@Example.com' },
    { id: id.toUpperCase(), email: 'b@example.com' },
    { email: 'c@example.com', username: 'ADA' },
    { email: 'd@example.com', subject: id },
    { email: 'e@example.com' },
  );
  const { lines, rows } = await converted('jsonl', people);
  expect(lines).toHaveLength(2);
  const cannot = 'This person cannot be imported: the';
  expect(rows).toEqual([
    `decide: lines[2]: ${cannot} email is already used by lines[1]`,
    `decide: lines[3]: ${cannot} id is already used by lines[1]`,
    `decide: lines[4]: ${cannot} user name is already used by lines[1]`,
    `decide: lines[5]: ${cannot} subject is already used by lines[1]`,
  ]);
  const chosen = await converted('jsonl', people, { 'lines[]': 'leave out', nothing: 1 });
  expect(chosen.report.counts.decide).toBe(0);
  expect(chosen.report.unused_choices).toEqual(['nothing']);
});

it.each([
  [
    'jsonl',
    '{"email":"a@example.com"}\n{"email":"b@exa',
    'people:2: is not JSON, and nothing follows: the file is incomplete',
  ],
  ['jsonl', '{"email":"a@example.com"}\n{"email":\n{}\n', 'people:2: is not JSON'],
  [
    'jsonl',
    Buffer.from('{"email":"a@example.com"}\n{"name":"\xe4"}\n', 'latin1'),
    'people:2: contains bytes that are not UTF-8',
  ],
  ['jsonl', Buffer.from('\ufeff{"name":"a"}', 'utf16le'), 'people: is UTF-16, write it as UTF-8'],
  [
    'csv',
    'email,name\na@example.com,"Ada\nb@example.com,Bob\n',
    'people:2: begins a quoted field without an end: the file is incomplete',
  ],
  ['csv', 'email,name\na@example.com\n', 'people:2: has 1 fields, the first row has 2'],
  ['csv', 'email,email\n', 'people:1: two columns have the title email'],
  ['csv', 'email,E-mail\na,b\n', 'decide'],
  ['csv', '', 'people: is empty'],
] as const)('%s: the error of a faulty file contains its position: %j', async (source, content, message) => {
  if (message === 'decide')
    expect((await converted(source, content)).report.counts.decide).toBeGreaterThan(0);
  else await expect(converted(source, content)).rejects.toThrow(message);
});

it('jsonl: NUL characters and lone surrogates are reported with their line', async () => {
  const { rows } = await converted(
    'jsonl',
    '{"email":"a@example.com","name":"\\u0000"}\n{"email":"b@example.com","name":"\\ud800"}\n',
  );
  expect(rows).toEqual([
    'decide: lines[1]: This person cannot be imported: name contains a NUL character',
    'decide: lines[2]: This person cannot be imported: name contains half of a surrogate pair',
  ]);
});

it('csv: known column titles are used, and unknown columns require a choice of the operator', async () => {
  const table = [
    'Email;Full name;Email verified;Created at;Groups;Roles;Shoe size;GitHub;Notes',
    'ada@example.com;"Lovelace, ""Ada""";yes;2020-02-03 04:05:06;staff, editors;administrator;38;4711;x',
    '"bob@example.com";Bob;0;1580702706;;;;;',
  ].join('\r\n');
  const open = await converted('csv', table);
  expect(open.rows.filter((row) => row.startsWith('decide')).map((row) => row.split(': ')[1])).toEqual([
    'columns.Full name',
    'columns.Groups',
    'columns.Roles',
    'columns.Shoe size',
    'columns.GitHub',
    'columns.Notes',
  ]);
  const { lines, report } = await converted('csv', table, {
    'columns.Full name': 'name',
    'columns.Groups': 'groups',
    'columns.Roles': 'leave out',
    'columns.Shoe size': 'claims.shoe_size',
    'columns.GitHub': 'identities.github',
    'columns.Notes': 'leave out',
  });
  expect(report.counts.decide).toBe(0);
  expect(lines).toEqual([
    {
      email: 'ada@example.com',
      name: 'Lovelace, "Ada"',
      email_verified: true,
      created_at: '2020-02-03T04:05:06.000Z',
      groups: ['staff', 'editors'],
      claims: { shoe_size: '38' },
      identities: [{ auth_method: 'github', subject: '4711' }],
    },
    { email: 'bob@example.com', name: 'Bob', email_verified: false, created_at: '2020-02-03T04:05:06.000Z' },
  ]);
});

it('the limit of report rows also applies to reasons that contain user texts', () => {
  const notes = new Notes();
  for (let at = 0; at < 20_100; at += 1) notes.add('left out', `users[${at}].a.k`, `${at} is no address`);
  expect(notes.rows()).toHaveLength(20_001);
  expect(notes.rows().at(-1)).toMatchObject({ path: 'users[].a.*', count: 100, first: 'users[20000].a.k' });
});

it('csv: ids that are not UUIDs require one decision per column, and the report names the solution', async () => {
  const rows = Array.from({ length: 3_000 }, (_, at) => `u${at},u${at}@example.com\n`).join('');
  const open = await converted('csv', `id,email\n${rows}`);
  expect(open.report.counts.decide).toBe(1);
  expect(open.rows).toEqual([
    'decide: columns.id: ids of this column are not UUIDs. Choose `subject`: tokens then contain them as `sub`',
  ]);
  const chosen = await converted('csv', `id,email\n${rows}`, { 'columns.id': 'subject' });
  expect(chosen.report.counts.decide).toBe(0);
  expect(chosen.lines).toHaveLength(3_000);
  expect(chosen.lines[1]).toEqual({ subject: 'u1', email: 'u1@example.com' });
});

it('secrets with unknown names are reported as dropped, at any depth', async () => {
  const line = {
    email: 'a@example.com',
    old: { deep: [{ passwordHash: 'x' }] },
    otpSecret: 'y',
    policyHash: '',
  };
  const { rows } = await converted('jsonl', jsonl(line));
  for (const path of ['lines[1].old.deep[0].passwordHash', 'lines[1].otpSecret'])
    expect(rows).toContain(
      `left out: ${path}: looks like a secret that this import does not support: it is lost`,
    );
  expect(rows).toContain('not looked at: lines[1].old: ');
});

it('a user with a password but no name to sign in requires a decision of the operator', async () => {
  const { lines, rows } = await converted('jsonl', jsonl({ subject: 's1', password: { hash: BCRYPT } }));
  expect(lines).toEqual([]);
  expect(rows[0]).toMatch(/^decide: lines\[1\]: This person has a password or an app, but no name/);
  const left = await converted('jsonl', jsonl({ subject: 's1', password: { hash: BCRYPT } }), {
    'lines[1]': 'leave out',
  });
  expect([left.lines, left.report.counts.decide]).toEqual([[], 0]);
});

it('claims of a user without an identity are reported as dropped, not imported', async () => {
  const { report } = await converted(
    'jsonl',
    jsonl({ email: 'a@example.com', given_name: 'A', claims: { b: 1 } }),
  );
  const outcomes = Object.fromEntries(report.rows.map(({ path, outcome }) => [path, outcome]));
  expect(outcomes).toMatchObject({ 'lines[1].given_name': 'left out', 'lines[1].claims': 'left out' });
  const csv = await converted('csv', 'email,Shoe\na@example.com,38\n', { 'columns.Shoe': 'claims.shoe' });
  expect(csv.rows).toContain(
    'left out: lines[2].Shoe: claims are stored with an identity, and this person has none',
  );
});
