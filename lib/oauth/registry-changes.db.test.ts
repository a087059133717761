// One client's changes are no reason for another's requests to wait or to fail (docs/decisions/0023).
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { asRequest } from '../../scripts/fuzz/requests.ts';
import { prepareWorld } from '../../scripts/fuzz/world.ts';
import { query } from '../store/pool.ts';
import { handleHttp } from './index.ts';

const TOKEN = '/auth/pw/api/orders/token';
const TRUSTED = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };

async function post(form: Record<string, string>) {
  const sent = {
    method: 'POST',
    path: TOKEN,
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams(form).toString()),
  };
  const answer = await handleHttp(asRequest(sent, randomUUID()));
  return { status: answer?.status, json: JSON.parse(String(answer?.body)) };
}

const signIn = async (): Promise<string> =>
  (
    await post({
      ...TRUSTED,
      grant_type: 'password',
      username: 'alice@example.com',
      password: 'alice-password-1',
    })
  ).json.refresh_token;

async function refresh(token: string) {
  const { status, json } = await post({ ...TRUSTED, grant_type: 'refresh_token', refresh_token: token });
  return { status, next: json.refresh_token ?? token };
}

const rename = (clientId: string, name: string) =>
  query({ text: 'update clients set name = $2 where client_id = $1', values: [clientId, name] });

test('refreshes go on while another client’s change can not be read, and follow once it can', async () => {
  await prepareWorld();
  let token = await signIn();
  const other = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
  await other.connect();
  try {
    // whoever reads the registry waits for this; a refresh does not
    await other.query('begin');
    await other.query('lock table client_secrets in access exclusive mode');
    await rename('conf', 'Changed');
    for (let at = 0; at < 5; at += 1) {
      const { status, next } = await refresh(token);
      expect(status).toBe(200);
      token = next;
    }
  } finally {
    await other.query('rollback');
    await other.end();
  }
  expect((await refresh(token)).status).toBe(200);
});

test('while somebody changes clients without a pause, each refresh is answered, and each change of its own client holds', async () => {
  let token = await signIn();
  let changing = true;
  const changes = (async () => {
    for (let at = 0; changing; at += 1) await rename('conf', `Changed ${at}`);
  })();
  for (let at = 0; at < 30; at += 1) {
    const { status, next } = await refresh(token);
    expect(status).toBe(200);
    token = next;
    if (at % 10 !== 9) continue;
    const suspend = (state: string) =>
      query({
        text: "update subscriptions set state = $1 where client_id = 'tru' and api_id = 'orders'",
        values: [state],
      });
    await suspend('suspended');
    expect((await refresh(token)).status).toBe(400);
    await suspend('approved');
  }
  changing = false;
  await changes;
});
