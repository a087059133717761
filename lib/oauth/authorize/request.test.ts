// What is kept of a request while its person is at a broker is all that is read of it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { RESOURCE } from '../rules.ts';
import { AUTHORIZE_PARAMETERS } from './declaration.ts';

test('each parameter that is read of an authorize request is declared, and kept on the way to a broker', () => {
  const text = ['request.ts', '../rules.ts', '../openid.ts']
    .map((file) => readFileSync(path.join(import.meta.dirname, file), 'utf8'))
    .join('');
  const read = [...text.matchAll(/values\.(?:get|has)\('([a-z_]+)'\)/g)].map(([, name]) => name as string);
  expect(read.length).toBeGreaterThan(8);
  read.push(RESOURCE);
  expect(new Set(read)).toEqual(new Set(AUTHORIZE_PARAMETERS));
});
