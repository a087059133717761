// Back-Channel Logout §2.5 with a real process, killed during twenty notifications: five clients close the connection,
// five never respond. They delay no other client, and no notification is lost. Uses a separate service and database.
import { expect, test } from '@playwright/test';
import { decodeJwt, jwtVerify } from 'jose';
import { type Sql, sqlOn } from '#testing/data/sql.ts';
import { type Person, worldOn } from '#testing/data/world.ts';
import { type ReceivedLogout, startLogoutReceivers } from '#testing/in-process/logout-receivers.ts';
import { until } from '#testing/net/until.ts';
import { Browser } from '#testing/service/browser.ts';
import { type OwnService, startOwnService } from '#testing/service/service.ts';
import { RelyingParty, type SignedIn } from '../../support/clients/openid.ts';

const named = (kind: string, count: number) => Array.from({ length: count }, (_, at) => `${kind}${at}`);
const LIVE = named('live', 10);
const SLOW = named('slow', 5);
const DEAD = named('dead', 5);
const ALL = [...LIVE, ...SLOW, ...DEAD];

test.describe.configure({ timeout: 60_000 });

let service: OwnService;
let sql: Sql;
let receivers: Awaited<ReturnType<typeof startLogoutReceivers>>;
let person: Person;
const parties = new Map<string, RelyingParty>();

test.beforeAll(async () => {
  test.setTimeout(90_000);
  service = await startOwnService({ CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  receivers = await startLogoutReceivers();
  sql = sqlOn(service.databaseUrl);
  const { makeClient, makePerson } = worldOn(sql);
  person = await makePerson();
  for (const name of ALL) {
    const client = await makeClient({ trusted: true, backchannelLogoutUri: `${receivers.url}/${name}` });
    parties.set(name, await RelyingParty.at(service, client));
  }
});
test.afterAll(async () => {
  await receivers.close();
  await service.stop();
});

const partyOf = (name: string) => parties.get(name) as RelyingParty;
const told = (names: string[], among = receivers.received) =>
  among.filter(({ client }) => names.includes(client));
const namesOf = (those: ReceivedLogout[]) => those.map(({ client }) => client).toSorted();
const tokenOf = (one: ReceivedLogout) => one.form.get('logout_token') ?? '';

/** Returns the clients whose notification is pending. */
async function outstanding(): Promise<string[]> {
  const rows = await sql<{ id: string }>('select client_id as id from logout_deliveries');
  return rows.map(({ id }) => ALL.find((name) => partyOf(name).client.clientId === id) ?? id).toSorted();
}

/** Signs the user in at each client; all sign-ins share one browser. */
async function signInEverywhere(browser: Browser): Promise<Map<string, SignedIn>> {
  const sessions = new Map<string, SignedIn>();
  for (const name of ALL) sessions.set(name, await partyOf(name).signIn(browser, person));
  return sessions;
}

async function verify(one: ReceivedLogout, { claims }: SignedIn): Promise<void> {
  const { metadata, client, keys } = partyOf(one.client);
  const { payload } = await jwtVerify(tokenOf(one), keys, {
    issuer: metadata.issuer,
    audience: client.clientId,
    typ: 'logout+jwt',
    maxTokenAge: 120,
  });
  expect([payload.sub, payload['sid']]).toEqual([claims.sub, claims['sid']]);
}

/** True if no other database connection exists, which means that no statement of the killed process is pending. */
async function isAlone(): Promise<boolean> {
  const others = await sql(
    `select 1 from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return others.length === 0;
}

/** Moments of the kill. They differ in the pending notifications, and not in the final result. */
const MOMENTS: [when: string, hasCome: () => Promise<boolean>][] = [
  ['as soon as the first is told', async () => receivers.received.length > 0],
  [
    'once only the dead and the slow are left',
    async () => told([...SLOW, ...DEAD]).length >= 10 && (await outstanding()).length === 10,
  ],
];

for (const [when, hasCome] of MOMENTS) {
  test(`20 clients, 5 dead and 5 slow: the sign-out waits for no client, and all clients are notified despite a kill ${when}`, async () => {
    receivers.received.length = 0;
    receivers.ended.length = 0;
    const browser = new Browser(service);
    const sessions = await signInEverywhere(browser);
    for (const name of SLOW) receivers.answers.set(name, 'slow');
    for (const name of DEAD) receivers.answers.set(name, 'dead');
    const hint = sessions.get('live0')?.idToken;

    const began = performance.now();
    const answer = await browser.get(partyOf('live0').signOutUrl({ id_token_hint: hint }));
    const took = performance.now() - began;
    expect(answer.text).toContain('You are signed out');
    // a blocking sign-out would complete these calls first
    expect(receivers.ended.filter((name) => SLOW.includes(name))).toEqual([]);
    console.log(`20 clients to tell: the sign-out was answered after ${took.toFixed(0)} ms`);

    expect(await until(hasCome)).toBe(true);
    await service.server.kill();
    expect(await until(isAlone)).toBe(true);
    const left = await outstanding();
    const before = receivers.received.splice(0);
    expect(left).toEqual(expect.arrayContaining([...DEAD, ...SLOW]));
    const done = ALL.filter((name) => !left.includes(name));
    expect(namesOf(told(done, before))).toEqual(done.toSorted());

    receivers.answers.clear();
    receivers.release();
    // a notification that a killed process was sending is retried after 30 s; the test skips this wait
    await sql('update logout_deliveries set next_try_at = now()');
    await service.server.start();
    expect(await until(async () => (await outstanding()).length === 0)).toBe(true);
    // exactly the remaining clients were notified
    expect(namesOf(receivers.received)).toEqual(left);
    const all = [...before, ...receivers.received];
    for (const one of all) await verify(one, sessions.get(one.client) as SignedIn);
    expect(new Set(all.map((one) => decodeJwt(tokenOf(one)).jti)).size).toBe(all.length);
  });
}
