import { hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { needsRehash } from '#lib/kit/index.ts';
import { query } from '../store/database/pool.ts';
import { authMethodOf } from './index.ts';

const local = authMethodOf({
  id: 'pw',
  type: 'local',
  name: 'Local',
  config: {},
  sealedSecret: null,
  epoch: '0',
});
const verify = (password: string) => local.verifyPassword?.('old@example.com', password);
const stored = async () => {
  const rows = await query<{ hash: string }>({
    text: 'select password_hash as hash from people',
    values: [],
  });
  return rows[0]?.hash ?? '';
};

test('AR-03: a hash with weaker parameters verifies, and the sign-in replaces it with a stronger one', async () => {
  const weak = await hash('the password', { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 });
  const text = "insert into people (email, password_hash) values ('old@example.com', $1)";
  await query({ text, values: [weak] });
  expect(needsRehash(weak)).toBe(true);
  expect(await verify('wrong')).toEqual({ kind: 'refused' });
  expect(await stored()).toBe(weak);
  expect((await verify('the password'))?.kind).toBe('identity');
  await expect.poll(stored).not.toBe(weak);
  expect(needsRehash(await stored())).toBe(false);
  expect((await verify('the password'))?.kind).toBe('identity');
});
