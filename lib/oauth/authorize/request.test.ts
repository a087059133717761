// What is kept of a request while its person is at a broker is all that is read of it: here, and by the reference.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reference } from '#lib/reference/index.ts';
import { AUTHORIZE_PARAMETERS } from './request.ts';

test('each parameter that is read of an authorize request is kept on the way to a broker', () => {
  const text = readFileSync(path.join(import.meta.dirname, 'request.ts'), 'utf8');
  const read = [...text.matchAll(/values\.(?:get|has)\('([a-z_]+)'\)/g)].map(([, name]) => name as string);
  expect(read.length).toBeGreaterThan(8);
  expect(read.filter((name) => !AUTHORIZE_PARAMETERS.includes(name))).toEqual([]);
});

test('each parameter that the reference names is kept on the way to a broker', () => {
  const endpoints = reference('https://a.example', 'https://a.example').sections.flatMap(
    (one) => one.endpoints,
  );
  const named = endpoints
    .find(({ id }) => id === 'authorize')
    ?.parameters.filter((one) => one.in === 'query');
  expect(new Set(named?.map(({ name }) => name))).toEqual(new Set(AUTHORIZE_PARAMETERS));
});
