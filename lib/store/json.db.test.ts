// Prisma encodes values with special members such as `$type`. JSON from other services can contain the same members.
import { expect, test } from 'vitest';
import { client } from '#lib/catalogue/clients/definition.ts';
import { insertClient } from '#lib/catalogue/clients/rows.ts';
import { query } from './pool.ts';
import { database } from './prisma.ts';

test.each([
  ['a tag of Prisma’s', { $type: 'Raw', value: 'x' }],
  ['one within a list', { x: [{ $type: 'Json', value: 'null' }, null] }],
  ['operators', { set: 1, push: [{}], increment: 2 }],
  ['dates as text', { at: '2020-01-01T00:00:00Z' }],
])('JSON is stored unchanged: %s', async (name, member) => {
  const values = client.parse({
    clientId: name.replaceAll(/\W/g, '-'),
    name,
    kind: 'browser',
    redirectUris: [],
  });
  const jwks = { keys: [member] };
  await insertClient(database(), Object.assign(values, { jwks }), null);
  const text = 'select jwks, brand from clients where client_id = $1';
  expect(await query({ text, values: [values.clientId] })).toEqual([{ jwks, brand: null }]);
});
