// Each statement must store the issuer host, because a token family without it would issue tokens of a wrong issuer.
import { expect, test } from 'vitest';
import { sourcesOf } from '#testing/code/sources.ts';

/** Files whose endpoint belongs to no issuer, so that their tokens name the issuer's address under `AUTH_URL`. */
const AT_NO_ISSUER = ['lib/store/hot/exchange.ts'];

test('every insert statement for codes, token families or machine tokens sets issuer_host', () => {
  const without = sourcesOf('store')
    .filter(({ file }) => !AT_NO_ISSUER.includes(file))
    .filter(({ text }) => {
      const made = text.match(/insert into (?:codes|token_families|machine_tokens) \([^)]*\)/g) ?? [];
      return made.some((columns) => !columns.includes('issuer_host'));
    });
  expect(without.map(({ file }) => file)).toEqual([]);
});
