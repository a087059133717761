// If there are many users, search matches prefixes of names and emails by index. Otherwise it matches any substring.
import { beforeAll, expect, test } from 'vitest';
import { givenEmptyRegistry, sql } from '#testing/data/registry.ts';
import { searchPeople } from './rows.ts';

beforeAll(async () => {
  await givenEmptyRegistry();
  for (const [name, email] of [
    ['Ada Lovelace', 'countess@a.example'],
    ['Grace Hopper', 'ada-fan@b.example'],
    ['Ádám', null],
  ])
    await sql('insert into people (name, email) values ($1, $2)', [name, email]);
  await sql("insert into people (name, username, subject) values ('José', 'jos\u00e9', 'auth0|5F7c')");
  await sql('analyze people');
});

const named = async (text: string, many?: number) => {
  const ids = (await searchPeople(text, many))?.people ?? [];
  const rows = await sql<{ name: string }>('select name from people where id = any($1) order by name', [ids]);
  return rows.map(({ name }) => name);
};

test('the search finds a user by any part of the name or the email address', async () => {
  expect(await named('love')).toEqual(['Ada Lovelace']);
  expect(await named('fan@')).toEqual(['Grace Hopper']);
});

test('with many users, the search finds a user by the beginning of the name or the email address', async () => {
  expect(await named('ada', 1)).toEqual(['Ada Lovelace', 'Grace Hopper']);
  expect(await named('grace h', 1)).toEqual(['Grace Hopper']);
  expect(await named('love', 1)).toEqual([]);
  expect(await named('%', 1)).toEqual([]);
});

test('the user search matches imported subjects exactly, and user names in any Unicode composition', async () => {
  expect(await named('auth0|5F7c', 1)).toEqual(['José']);
  expect(await named('auth0|5f7c')).toEqual(['José']);
  for (const many of [1, undefined]) expect(await named('JOSE\u0301', many)).toEqual(['José']);
});
