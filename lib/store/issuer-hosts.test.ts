// A family without the address that it began at would give tokens of another issuer than the one that was called.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** At the address of no issuer: what it gives has the path address. */
const AT_NO_ISSUER = ['hot/exchange.ts'];
const store = path.resolve(import.meta.dirname, '.');

test('each statement that makes a code, a family or a machine’s token at an issuer says at which of its addresses', () => {
  const without = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !AT_NO_ISSUER.includes(file))
    .filter((file) => {
      const text = readFileSync(path.join(store, file), 'utf8');
      const made = text.match(/insert into (?:codes|token_families|machine_tokens) \([^)]*\)/g) ?? [];
      return made.some((columns) => !columns.includes('issuer_host'));
    });
  expect(without).toEqual([]);
});
