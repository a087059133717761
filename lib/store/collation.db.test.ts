// Lists by name and lookups of email addresses have the same results under each collation that a database can have.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { type Sql, sqlOn } from '#testing/data/sql.ts';
import { type OwnDatabase, startOwnDatabase } from '#testing/service/service.ts';
import { list } from './list.ts';
import { migrate } from './migrate.ts';
import { closePool } from './pool.ts';
import { sql } from './sql.ts';

let own: OwnDatabase;
let admin: Sql;
beforeAll(async () => {
  own = await startOwnDatabase();
  admin = sqlOn(own.databaseUrl);
});
afterAll(async () => {
  await closePool();
  await own.stop();
});

const BY_ADDRESS = list({
  returns: { email: 'text' },
  rows: sql`p.email from people p`,
  orders: { email: { key: [['p.email', 'text']] } },
  where: () => [sql`p.email is not null`],
});

const ADDRESSES = [
  'info@a.example',
  'ida@a.example',
  'i-d@a.example',
  'i_d@a.example',
  'ıda@a.example',
  'z@a.example',
  'ä@a.example',
];

describe.each([
  ['c', `locale 'C'`],
  ['und', `locale_provider icu icu_locale 'und' locale 'C'`],
  ['turkish', `locale_provider icu icu_locale 'tr-TR' locale 'C'`],
])('PostgreSQL, ALTER COLLATION: a database with the collation %s', (name, options) => {
  let ask: Sql;
  beforeAll(async () => {
    await admin(`create database ${name} template template0 encoding 'UTF8' ${options}`);
    const url = own.databaseUrl.replace(/\/gatehouse$/, `/${name}`);
    await migrate(url);
    ask = sqlOn(url);
    for (const email of ADDRESSES)
      await ask(`insert into people (email, name, email_verified_at) values ($1, 'A', now())`, [email]);
  });
  beforeEach(async () => {
    await closePool();
    loadSettings({
      DATABASE_URL: own.databaseUrl.replace(/\/gatehouse$/, `/${name}`),
      GATEHOUSE_SECRET: 'x'.repeat(43),
    });
  });

  test('each page of a list starts after the previous page, and all pages together contain every row', async () => {
    const seen: string[] = [];
    let after: string[] | null = null;
    do {
      const rows = await BY_ADDRESS.select({}, { after, limit: 2 });
      seen.push(...rows.map(({ row }) => row.email));
      after = rows.at(-1)?.key ?? null;
    } while (after !== null);
    expect(seen.toSorted()).toEqual(ADDRESSES.toSorted());
  });

  test('an email address is compared exactly, and lookalike letters are different addresses', async () => {
    const [row] = await ask<{ n: number }>(
      `select count(*)::int as n from people where email = 'info@a.example'`,
    );
    expect(row?.n).toBe(1);
    await expect(ask(`insert into people (email, name) values ('info@a.example', 'B')`)).rejects.toThrow(
      'people_email',
    );
  });

  test('a required email claim in lower case matches a provider’s address in capitals', async () => {
    await ask(
      `insert into auth_methods (id, type, name, config) values ('brk', 'broker', 'B', '{"trust_email": true}')`,
    );
    const [person] = await ask<{ id: string }>(`insert into people (name) values ('I') returning id`);
    await ask(
      `insert into external_identities (auth_method_id, subject, person_id, email, email_verified, claims)
       values ('brk', 's', $1, 'INFO@FIRMA.EXAMPLE', true, '{}')`,
      [person?.id],
    );
    const has = async (value: string) =>
      (
        await ask<{ yes: boolean }>(`select has_claim($1, $2, 'brk') as yes`, [
          JSON.stringify({ name: 'email', values: [value] }),
          person?.id,
        ])
      )[0]?.yes;
    expect(await has('info@firma.example')).toBe(true);
    expect(await has('@firma.example')).toBe(true);
    expect(await has('ınfo@firma.example')).toBe(false);
  });
});
