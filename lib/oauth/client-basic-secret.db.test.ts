// Secrets by HTTP Basic that were not form-encoded (RFC 6749 §2.3.1), and requests with two credentials (§2.3).
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sha256 } from '#lib/kit/random.ts';
import { expectReason } from '#testing/clients/asserted.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH } from '#testing/in-process/openid.ts';

beforeAll(async () => {
  await givenFixtures();
  await givenTrustedClients(['plain']);
});
beforeEach(() => sql('delete from attempts'));

const setSecret = (secret: string) =>
  sql("update client_secrets set secret_hash = $1 where client_id = 'plain'", [sha256(secret)]);
const basicOf = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const send = (sent: string) =>
  ask(`${OPENID_PATH}/token`, {
    form: { grant_type: 'refresh_token', refresh_token: 'x' },
    headers: basicOf(`plain:${sent}`),
  });
const encoded = (secret: string) => new URLSearchParams({ s: secret }).toString().slice(2);

test.each(['a+b', 'a%20b', 'a%zz', '%', 'a%c', '100%25', '%E9', 'a%00b'])(
  'an unencoded Basic secret %s returns 401 with a challenge, and the log tells the developer to form-encode it',
  async (secret) => {
    await setSecret(secret);
    const answer = await send(secret);
    expect([answer.status, jsonOf(answer)['error']]).toEqual([401, 'invalid_client']);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
    await expectReason('plain', 'secret-not-encoded');
    await setSecret('another');
    const wrong = await send(secret);
    expect(jsonOf(wrong)['error_description']).toBe(jsonOf(answer)['error_description']);
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([
      answer.status,
      answer.headers['www-authenticate'],
    ]);
    await expectReason('plain', 'secret-wrong');
  },
);

test.each(['a+b', 'a%20b', 'a%zz', 'a&b=c', 'ä', 'a b', 'a:b', '%'])(
  'a form-encoded Basic secret %s is accepted',
  async (secret) => {
    await setSecret(secret);
    expect(jsonOf(await send(encoded(secret)))['error']).toBe('invalid_grant');
  },
);

test.each(['a&b=c', 'ä', 'a b', 'a:b'])(
  'an unencoded Basic secret %s is accepted, because decoding does not change it',
  async (secret) => {
    await setSecret(secret);
    expect(jsonOf(await send(secret))['error']).toBe('invalid_grant');
  },
);

test('a Basic secret encoded as Latin-1 is rejected', async () => {
  await setSecret('ä');
  const bytes = Buffer.concat([Buffer.from('plain:'), Buffer.from([0xe4])]).toString('base64');
  const answer = await ask(`${OPENID_PATH}/token`, {
    form: { grant_type: 'refresh_token', refresh_token: 'x' },
    headers: { authorization: `Basic ${bytes}` },
  });
  expect([answer.status, jsonOf(answer)['error']]).toEqual([401, 'invalid_client']);
});

test('RFC 6749 §2.3: an API that sends its introspection credential in header and body receives 400 with the reason', async () => {
  const secret = 'the API’s own+credential';
  await sql("update apis set introspection_secret_hash = $1 where id = 'orders'", [sha256(secret)]);
  const introspect = (form: Record<string, string>, headers = {}) =>
    ask(`${OPENID_PATH}/introspect`, { form: { token: 'x', ...form }, headers });
  const header = basicOf(`orders:${encoded(secret)}`);
  expect(jsonOf(await introspect({}, header))).toEqual({ active: false });
  for (const client_secret of [secret, 'other']) {
    const both = await introspect({ client_id: 'orders', client_secret }, header);
    expect([both.status, jsonOf(both)['error']]).toEqual([400, 'invalid_request']);
    expect(jsonOf(both)['error_description']).toMatch(/in the header or in the body, not in both/);
  }
  expect((await introspect({ client_id: 'orders', client_secret: secret })).status).toBe(401);
  expect((await introspect({}, basicOf(`orders:${secret}%zz`))).status).toBe(401);
});
