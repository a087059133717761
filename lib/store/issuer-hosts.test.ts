// Each statement must store the issuer host, because a token family without it would issue tokens of a wrong issuer.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Files whose endpoint belongs to no issuer, so that their tokens name the issuer's address under `AUTH_URL`. */
const AT_NO_ISSUER = ['hot/exchange.ts'];
const store = path.resolve(import.meta.dirname, '.');

test('every insert statement for codes, token families or machine tokens sets issuer_host', () => {
  const without = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !AT_NO_ISSUER.includes(file))
    .filter((file) => {
      const text = readFileSync(path.join(store, file), 'utf8');
      const made = text.match(/insert into (?:codes|token_families|machine_tokens) \([^)]*\)/g) ?? [];
      return made.some((columns) => !columns.includes('issuer_host'));
    });
  expect(without).toEqual([]);
});
