// Names that users give their sessions and trusted browsers.
import { beforeEach, expect, it } from 'vitest';
import { deletePerson, pageSessions } from '#lib/catalogue/people/operations.ts';
import {
  events,
  givenEmptyRegistry,
  givenPerson,
  PASSWORD,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { codeOf } from '#testing/factors/factors.ts';
import { enrol } from '#testing/factors/second-step.ts';
import { actorOf, browserWith, halfway, held, signIn } from '#testing/in-process/console-session.ts';
import { confirmSignIn, signInToConsole } from './console-sign-in.ts';
import { listMySessions, nameMyDevice, readMyData, readMyFactors } from './my-account.ts';
import { OPERATOR } from './policy.ts';

let zoe: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  zoe = await givenPerson('zoe');
});

async function givenTrustedBrowser(person: Person): Promise<string> {
  const [row] = await sql<{ id: string }>(
    `insert into trusted_browsers (token_hash, person_id, auth_method_id, user_agent, expires_at)
     values (sha256(gen_random_uuid()::text::bytea), $1, 'local', 'Firefox', now() + interval '1 day') returning id`,
    [person.id],
  );
  return row?.id ?? '';
}

it('the name of a browser survives session upgrades and repeated sign-ins', async () => {
  const secret = await enrol(zoe.id);
  const cookie = await signIn();
  const raised = held(
    await confirmSignIn(await halfway(cookie), { code: codeOf(secret) }, browserWith(cookie)),
  );
  const [first] = await listMySessions(await actorOf(raised));
  expect(first).toMatchObject({ name: null });
  await nameMyDevice(zoe, { device: 'session', id: first?.id ?? '', name: '  Kitchen \u202e tablet ' });
  expect((await listMySessions(zoe))[0]).toMatchObject({ name: 'Kitchen tablet' });
  const again = await signInToConsole({
    ...browserWith(raised),
    authMethodId: 'local',
    username: 'zoe@example.com',
    password: PASSWORD,
  });
  expect(again.kind).toBe('signed-in');
  expect((await listMySessions(zoe)).map(({ name }) => name)).toEqual(['Kitchen tablet']);
  // administrators see the name together with the browser's user agent
  const seen = await pageSessions(OPERATOR, { personId: zoe.id });
  expect(seen.rows[0]).toMatchObject({ name: 'Kitchen tablet' });
  const id = seen.rows[0]?.id ?? '';
  await nameMyDevice(zoe, { device: 'session', id, name: ' ' });
  expect((await listMySessions(zoe))[0]?.name).toBeNull();
});

it('the name of a trusted browser is in the data export, never in the audit log, and is deleted with the account', async () => {
  await enrol(zoe.id);
  const id = await givenTrustedBrowser(zoe);
  await nameMyDevice(zoe, { device: 'browser', id, name: 'Secret den' });
  expect((await readMyFactors(zoe)).trustedBrowsers[0]).toMatchObject({ name: 'Secret den' });
  let file = '';
  for await (const piece of await readMyData(zoe)) file += piece;
  expect(JSON.parse(file).factors.trusted_browsers[0]).toMatchObject({ name: 'Secret den' });
  expect(await events('device.named')).toMatchObject([{ details: { device: 'browser' } }]);
  await deletePerson(OPERATOR, { id: zoe.id });
  expect(await sql('select name from trusted_browsers')).toEqual([]);
  const [kept] = await sql<{ n: number }>(
    "select count(*)::int as n from audit_events where details::text like '%Secret den%'",
  );
  expect(kept?.n).toBe(0);
});

it('browser names have at most 60 characters, and users name only their own browsers', async () => {
  const bob = await givenPerson('bob');
  const cookie = await signIn();
  const [session] = await listMySessions(await actorOf(cookie));
  const own = { device: 'session', id: session?.id ?? '' } as const;
  const tooLong = await refusal(nameMyDevice(zoe, { ...own, name: 'x'.repeat(61) }));
  expect(tooLong?.faults).toMatchObject([{ field: 'name', code: 'own_account.device_name' }]);
  await nameMyDevice(zoe, { ...own, name: 'x'.repeat(60) });
  const browser = await givenTrustedBrowser(zoe);
  for (const [device, id] of [
    ['session', own.id],
    ['session', 'none'],
    ['session', 'ab'.repeat(32)],
    ['browser', browser],
    ['browser', 'none'],
  ] as const)
    expect((await refusal(nameMyDevice(bob, { device, id, name: 'Mine' })))?.kind, `${device} ${id}`).toBe(
      'not-found',
    );
  expect(await events('device.named')).toHaveLength(1);
});

it('a browser name set during a session upgrade is stored with the new session, in ten rounds', async () => {
  const secret = await enrol(zoe.id);
  for (let round = 0; round < 10; round += 1) {
    await sql('update totp_secrets set last_step = 0');
    await sql('update sessions set ended_at = now()');
    const cookie = await signIn();
    const [row] = await sql<{ id: string }>(
      "select encode(id_hash, 'hex') as id from sessions where ended_at is null",
    );
    const who = await halfway(cookie);
    const name = `Phone ${round}`;
    await Promise.all([
      confirmSignIn(who, { code: codeOf(secret) }, browserWith(cookie)),
      nameMyDevice(zoe, { device: 'session', id: row?.id ?? '', name }),
    ]);
    expect(await sql('select name from sessions where ended_at is null')).toEqual([{ name }]);
  }
});
