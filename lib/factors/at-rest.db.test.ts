// What a copy of the database says about factors: that there are some.
import { beforeAll, expect, test } from 'vitest';
import { setLogLevel, sha256 } from '#lib/kit/index.ts';
import { loadSettings } from '#lib/settings/index.ts';
import { sql } from '#testing/data/registry.ts';
import { codeOf, FACTOR_CONTEXT as context, givenPersonWithApp } from '#testing/factors/factors.ts';
import { makeRecoveryCodes, proveRecoveryCode, proveTotp } from './index.ts';

beforeAll(() => {
  setLogLevel('silent');
  loadSettings();
});

/** A table of which a row has one of the texts in it, as text or as the hex of bytes; null: none has. */
async function tableThatHolds(texts: string[]): Promise<string | null> {
  const tables = await sql<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  for (const { name } of tables) {
    const found = await sql(
      `select 1 from "${name}" t, unnest($1::text[]) as x (text) where strpos(upper(t::text), upper(x.text)) > 0
        or strpos(t::text, encode(convert_to(x.text, 'UTF8'), 'hex')) > 0 limit 1`,
      [texts],
    );
    if (found.length > 0) return name;
  }
  return null;
}

test('no table holds the secret of an app or a recovery code, nor what was typed, right or wrong', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const codes = await makeRecoveryCodes(personId);
  const [used = ''] = codes;
  await proveRecoveryCode({ personId, code: used, context });
  await proveTotp({ personId, code: codeOf(secret), context });
  const mistyped = ['wrong-and-telling-1', 'wrong-and-telling-2'];
  for (const code of mistyped) {
    await proveTotp({ personId, code, context });
    await proveRecoveryCode({ personId, code, context });
  }
  // the search finds what is there
  expect(await tableThatHolds([personId])).not.toBeNull();
  const bare = codes.map((code) => code.replaceAll('-', ''));
  // an unsalted hash of a code could be searched for in every row at once
  const hashes = bare.map((code) => sha256(code).toString('hex'));
  expect(await tableThatHolds([secret, ...codes, ...bare, ...hashes, ...mistyped])).toBeNull();
});
