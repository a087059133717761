import { hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { wrapHash } from '#lib/kit/kept-hashes/kept-hash.ts';
import { needsRehash } from '#lib/kit/password-hash.ts';
import { keptSamples, sealPepper } from '#lib/store/hot/credentials.ts';
import { query } from '#lib/store/pool.ts';
import { asStranger, typed } from '#testing/in-process/typed.ts';

const local = authMethodOf({
  id: 'pw',
  type: 'local',
  name: 'Local',
  config: {},
  sealedSecret: null,
  epoch: '0',
});
const verify = (password: string) => local.verifyPassword?.('old@example.com', typed(password), asStranger);
const stored = async () => {
  const rows = await query<{ hash: string }>({
    text: 'select password_hash as hash from people',
    values: [],
  });
  return rows[0]?.hash ?? '';
};

test('AR-03: a hash with weak parameters accepts its password, and the sign-in replaces it with a stronger hash', async () => {
  const weak = await hash('the password', { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 });
  const text = "insert into people (email, password_hash) values ('old@example.com', $1)";
  await query({ text, values: [weak] });
  expect(needsRehash(weak)).toBe(true);
  expect(await verify('wrong')).toEqual({ kind: 'refused' });
  expect(await stored()).toBe(weak);
  expect((await verify('the password'))?.kind).toBe('identity');
  await expect.poll(stored).not.toBe(weak);
  expect(needsRehash(await stored())).toBe(false);
  expect((await verify('the password'))?.kind).toBe('identity');
});

const person = async (hash: string): Promise<string> => {
  await query({ text: 'delete from people', values: [] });
  const text = "insert into people (email, password_hash) values ('old@example.com', $1) returning id";
  const [row] = await query<{ id: string }>({ text, values: [hash] });
  return row?.id ?? '';
};
/** made with `htpasswd -nbBC 5`; the second was made with passlib, and its password starts with 72 times 'x' */
const BCRYPT = '$2y$05$S459Akfw2wJMZUctPmFoxuP06zi2/9dHMWc4KttQ7mgaJoHmPOrXa';
const OF_72 = '$2b$05$JZiEO5yRNutVt5wBvkWYkupotT54Mb6qLgnRifGqMHF4EPg/UCcxK';

test.each([
  ['bcrypt', BCRYPT],
  ['a wrapped {SHA}', '{SHA}/8wfRUGm8tTSBrWrjhQj2hPe5cw='],
])(
  'an imported hash (%s) accepts its password, and the sign-in replaces it with argon2id',
  async (_, hash) => {
    await person(hash.startsWith('{') ? await wrapHash(hash) : hash);
    expect(await verify('wrong')).toEqual({ kind: 'refused' });
    expect((await verify('correct horse é'))?.kind).toBe('identity');
    await expect.poll(async () => needsRehash(await stored())).toBe(false);
    expect((await verify('correct horse é'))?.kind).toBe('identity');
  },
);

test('bcrypt: a password above 72 bytes is accepted, and its hash is not replaced', async () => {
  await person(OF_72);
  expect((await verify('x'.repeat(80)))?.kind).toBe('identity');
  expect((await verify('x'.repeat(72)))?.kind).toBe('identity');
  await expect.poll(async () => needsRehash(await stored())).toBe(false);
  expect(await verify('x'.repeat(80))).toEqual({ kind: 'refused' });
});

test('peppered hashes are sealed per user, so another user’s pepper fails', async () => {
  // made with passlib: bcrypt.using(rounds=4).hash(password + 'pepper')
  const plain = '$bcrypt-pepper$2b$04$maPhkj3oNbmb4uhN5tIofO3nv4qTMCtWeIbh6VG2aztAb0ZQ/Ak9K$cGVwcGVy';
  const id = await person('');
  const put = (hash: string) => query({ text: 'update people set password_hash = $1', values: [hash] });
  await put(sealPepper('00000000-0000-4000-8000-000000000000', plain));
  expect(await verify('correct horse é')).toEqual({ kind: 'refused' });
  await put(sealPepper(id, plain));
  expect(await stored()).not.toContain('cGVwcGVy');
  expect(await keptSamples()).toEqual([{ kind: '$bcrypt-pepper$2b$04', hash: plain }]);
  expect((await verify('correct horse é'))?.kind).toBe('identity');
});

test('keptSamples groups imported hashes by algorithm and cost, and reads them from the index', async () => {
  await query({ text: 'delete from people', values: [] });
  const hashes = [
    BCRYPT,
    OF_72,
    `$wp${BCRYPT}`,
    '$pbkdf2-sha256$i=1000$c2Fs$a2V5',
    '$argon2i$v=19$m=8,t=1,p=1$c2Fs$a2V5',
  ];
  const kept = [...hashes, await wrapHash('{SHA}/8wfRUGm8tTSBrWrjhQj2hPe5cw=')];
  const text = 'insert into people (password_hash) select unnest($1::text[])';
  await query({ text, values: [[...kept, ...kept, '$argon2id$v=19$m=19456,t=2,p=1$c2Fs$a2V5']] });
  expect((await keptSamples()).map(({ kind }) => kind).toSorted()).toEqual([
    '$2b$05',
    '$2y$05',
    '$argon2i$v=19$m=8,t=1,p=1',
    '$kept$aftersha1=1',
    '$pbkdf2-sha256$i=1000',
    '$wp$2y$05',
  ]);
});

test('user name and email address both sign a user in, in any letter case', async () => {
  await person(BCRYPT);
  await query({ text: "update people set username = 'ada'", values: [] });
  const by = (name: string) => local.verifyPassword?.(name, typed('correct horse é'), asStranger);
  for (const name of ['ada', 'ADA', 'Old@example.com']) expect((await by(name))?.kind).toBe('identity');
  expect(await by('ada@')).toEqual({ kind: 'refused' });
});
