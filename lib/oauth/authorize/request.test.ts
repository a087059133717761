// The request that is stored during a sign-in at a broker contains exactly the parameters that the server reads.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { RESOURCE } from '../rules.ts';
import { AUTHORIZE_PARAMETERS } from './declaration.ts';

test('every authorize parameter that the code reads is declared, and stored during a broker sign-in', () => {
  const text = ['request.ts', '../rules.ts', '../openid.ts']
    .map((file) => readFileSync(path.join(import.meta.dirname, file), 'utf8'))
    .join('');
  const read = [...text.matchAll(/values\.(?:get|has)\('([a-z_]+)'\)/g)].map(([, name]) => name as string);
  expect(read.length).toBeGreaterThan(8);
  read.push(RESOURCE);
  expect(new Set(read)).toEqual(new Set(AUTHORIZE_PARAMETERS));
});
