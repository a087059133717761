// Changes to one client neither delay requests of another client nor let them fail (docs/project/decisions/0004).
import { expect, test, vi } from 'vitest';
import { query } from '#lib/store/pool.ts';
import { watchedSnapshot } from '#lib/store/snapshot.ts';
import { watchRegistry } from '#lib/store/snapshot-watch.ts';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { withClient } from '#testing/data/sql.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { credentialsOf } from '#testing/service/token.ts';

async function post(form: Record<string, string>, otherwise: string) {
  const all = { ...credentialsOf(fixtureClient('tru')), ...form };
  const answer = await ask('/auth/pw/api/orders/token', { form: all });
  return { status: answer.status, next: String(jsonOf(answer)['refresh_token'] ?? otherwise) };
}
const { email: username, password } = fixturePerson('alice');
const signIn = async () => (await post({ grant_type: 'password', username, password }, '')).next;
const refresh = (token: string) => post({ grant_type: 'refresh_token', refresh_token: token }, token);

const rename = (clientId: string, name: string) =>
  query({ text: 'update clients set name = $2 where client_id = $1', values: [clientId, name] });

test('a refresh succeeds while the change of another client cannot be read, and afterwards', async () => {
  await givenFixtures();
  let token = await signIn();
  await withClient(process.env['DATABASE_URL'] as string, async (other) => {
    // reads of the registry wait for this lock, but refreshes do not
    await other.query('begin');
    await other.query('lock table client_secrets in access exclusive mode');
    await rename('conf', 'Changed');
    for (let at = 0; at < 5; at += 1) {
      const { status, next } = await refresh(token);
      expect(status).toBe(200);
      token = next;
    }
  });
  expect((await refresh(token)).status).toBe(200);
});

test('while clients change continuously, each refresh receives a response, and changes of its own client apply', async () => {
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

test('LG-04: while APIs change continuously, a wrong password or secret counts once', async () => {
  await query({ text: 'delete from attempts', values: [] });
  // as in a server process, the watch updates the snapshot before the affected request ends
  const stopWatch = watchRegistry();
  let changing = true;
  const changes = (async () => {
    for (let at = 0; changing; at += 1)
      await query({ text: `update apis set description = $1 where id = 'billing'`, values: [`${at}`] });
  })();
  const TRIES = 25;
  for (let at = 0; at < TRIES; at += 1) {
    const wrong = { grant_type: 'password', username: `nobody-${at}@example.com`, password: 'wrong' };
    expect((await post(wrong, '')).status).toBe(400);
    const { clientId } = fixtureClient('conf');
    const form = {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_id: clientId,
      client_secret: 'wrong',
    };
    expect((await ask('/auth/pw/api/orders/token', { form })).status).toBe(401);
  }
  changing = false;
  await changes;
  await stopWatch();
  const most = await query<{ kind: string; most: number }>({
    text: `select substr(key, 1, position(':' in key) - 1) as kind, max(failed) as most from attempts
      where key ~ '^(4secret|3client):' group by 1 order by 1`,
    values: [],
  });
  expect(most).toEqual([
    { kind: '3client', most: TRIES },
    { kind: '4secret', most: TRIES },
  ]);
}, 60_000);

test('a new issuer that another process created works immediately, even before the registry notification', async () => {
  const stopWatch = watchRegistry();
  await vi.waitFor(async () => expect(await watchedSnapshot()).toBe(await watchedSnapshot()), 15_000);
  await withClient(process.env['DATABASE_URL'] as string, async (other) => {
    for (let at = 0; at < 20; at += 1) {
      // one message, so that no notification arrives between both inserts
      await other.query(`insert into auth_methods (id, type, name, config) values ('new-${at}', 'local', 'New', '{}');
        insert into combinations (auth_method_id, api_id) values ('new-${at}', 'orders')`);
      const address = `/auth/new-${at}/api/orders/.well-known/openid-configuration`;
      expect((await ask(address)).status).toBe(200);
    }
  });
  expect((await ask('/auth/never/api/orders/jwks')).status).toBe(404);
  await stopWatch();
});
