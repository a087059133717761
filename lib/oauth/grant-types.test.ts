import { expect, test } from 'vitest';
import { isTest, sourcesIn } from '../../testing/code/sources.ts';
import { exchangeDeclaration } from './exchange/handler.ts';
import { GRANT_TYPES } from './rules.ts';
import { tokenDeclaration } from './token.ts';

const HERE = 'lib/oauth/rules.ts';
/** `password` and `refresh_token` are also names of parameters (RFC 6749 §4.3.2, §6; RFC 7009 §2.1). */
const PARAMETER =
  /\.(?:get|one)\('\w+'\)|token_type: [^,\n]*'refresh_token'|step: 'password'|step === 'password'|wrong: 'password'|'code' : 'password'/g;

test('the names of grant types appear in a single protocol file', () => {
  const quoted = new RegExp(`'(?:${GRANT_TYPES.map(({ type }) => type).join('|')})'`);
  const elsewhere = sourcesIn('lib/oauth')
    .filter(({ file, text }) => file !== HERE && !isTest(file) && quoted.test(text.replaceAll(PARAMETER, '')))
    .map(({ file }) => `${file} spells a grant type: import its name from ${HERE}`);
  expect(elsewhere).toEqual([]);
});

test('the reference describes every grant type of the code', () => {
  const declared = [tokenDeclaration, exchangeDeclaration].flatMap(({ body }) =>
    [body?.shape.grant_type].map((field) => field?.description ?? ''),
  );
  const missing = GRANT_TYPES.filter(({ type }) => !declared.some((text) => text.includes(`\`${type}\``)));
  expect(missing.map(({ type }) => `describe ${type} at grant_type in lib/oauth/token.ts`)).toEqual([]);
});
