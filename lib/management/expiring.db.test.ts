// Objects of every kind that expire; data of users is grouped by day. Developers see only their own objects.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { rotateClientSecret } from '#lib/catalogue/clients/operations.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { rotateSigningKeys } from './keys.ts';
import { OPERATOR } from './policy.ts';
import { type Expiring, listExpiring } from './upkeep.ts';

let dev: Person;
let other: Person;
const kindsOf = (rows: Expiring[]) => rows.map(({ kind }) => kind);

beforeAll(async () => {
  await givenEmptyRegistry();
  dev = await givenPerson('dev', 'developer');
  other = await givenPerson('other', 'developer');
  await givenClient(dev);
  await givenClient(other, 'theirs');
  await sql(`insert into subscriptions (client_id, api_id, state, max_days)
    values ('shop', 'orders', 'approved', 30), ('theirs', 'orders', 'approved', null)`);
});

test('the list of expiring objects is empty if no object has an end date', async () => {
  expect(await listExpiring(OPERATOR, {})).toEqual([]);
});

test('expiring delegations are counted by day and client, using the earlier of end date and approval end', async () => {
  await sql(`with people as (insert into people (name) select 'P' || n from generate_series(1, 5) n returning id, name)
    insert into delegations (person_id, client_id, api_id, scopes, until)
    select id, 'shop', 'orders', '{read}', date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'
      + case name when 'P5' then interval '60 days' else interval '5 days 1 hour' end from people`);
  const rows = (await listExpiring(dev, { own: true })).filter(({ kind }) => kind === 'delegations');
  expect(rows).toMatchObject([
    { count: 4, clientId: 'shop', clientName: 'shop', apiId: 'orders', apiName: 'orders' },
    { count: 1 },
  ]);
  // the approval limits the delegation to thirty days, although sixty days were requested
  const days = ((rows[1]?.at.getTime() ?? 0) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  expect(await listExpiring(dev, { own: true })).toEqual(await listExpiring(dev, {}));
  expect(JSON.stringify(rows)).not.toContain('P1');
});

test('a consent expires with an approval that is limited in time, otherwise never', async () => {
  await sql(`insert into consents (person_id, client_id, api_id, scopes)
    select id, client_id, 'orders', '{read}' from people p, clients where p.name in ('P1', 'P2')`);
  const rows = (await listExpiring(OPERATOR, {})).filter(({ kind }) => kind === 'allowances');
  expect(rows).toMatchObject([{ count: 2, clientId: 'shop' }]);
});

test('the list of expiring objects contains secrets, invitations and signing keys with stable ids, within the requested days', async () => {
  await rotateClientSecret(OPERATOR, { clientId: 'shop', overlapSeconds: 3_600 });
  await rotateSigningKeys(OPERATOR);
  await rotateSigningKeys(OPERATOR);
  await sql(`insert into person_registrations (auth_method_id, email, kind, handle_hash, expires_at)
    select 'local', n || '@example.com', case when n > 3 then 'waiting' when n > 1 then 'invited' else 'asked' end,
      sha256(n::text::bytea), now() + interval '2 days' from generate_series(1, 4) n`);
  const rows = await listExpiring(OPERATOR, {});
  expect(new Set(kindsOf(rows))).toEqual(
    new Set(['secret', 'key', 'invitations', 'registrations', 'delegations', 'allowances']),
  );
  expect(rows.find(({ kind }) => kind === 'invitations')).toMatchObject({ count: 2, authMethodId: 'local' });
  expect(JSON.stringify(rows)).not.toContain('example.com');
  expect([...rows].sort((a, b) => a.at.getTime() - b.at.getTime())).toEqual(rows);
  expect(await listExpiring(OPERATOR, {})).toEqual(rows);
  expect(kindsOf(await listExpiring(OPERATOR, { days: 1 }))).not.toContain('invitations');
  expect(kindsOf(await listExpiring(OPERATOR, { days: 1 }))).toContain('secret');
  expect(await listExpiring(OPERATOR, { most: 2 })).toEqual(rows.slice(0, 2));
});

test('a signing key past its rotation date is overdue', async () => {
  shiftClock(100 * 86_400_000);
  const late = (await listExpiring(OPERATOR, { days: 14 })).flatMap((one) =>
    one.kind === 'key' ? [one.what] : [],
  );
  shiftClock(0);
  expect(late).toContain('overdue');
});

test('developers see only their expiring objects, and users without a role see nothing', async () => {
  const mine = await listExpiring(dev, {});
  expect(new Set(kindsOf(mine))).toEqual(new Set(['secret', 'delegations', 'allowances']));
  expect(await listExpiring(other, {})).toEqual([]);
  expect((await refusal(listExpiring(dev, { own: false })))?.kind).toBe('forbidden');
  for (const roles of [[], ['approver']] as const) {
    const person = await givenPerson(`seer-${roles.length}`, ...roles);
    expect((await refusal(listExpiring(person, {})))?.kind).toBe('forbidden');
  }
  await sql("update clients set disabled_at = now() where client_id = 'shop'");
  expect(await listExpiring(dev, {})).toEqual([]);
});

test('the list of expiring objects contains CA certificates of the settings, and a missing file is no fault', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-ca-'));
  const [key, file] = [path.join(folder, 'ca.key'), path.join(folder, 'ca.pem')];
  try {
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    execFileSync('openssl', [...made, '-days', '40', '-subj', '/CN=Our CA', '-keyout', key, '-out', file], {
      stdio: 'ignore',
    });
    vi.stubEnv('NODE_EXTRA_CA_CERTS', file);
    const anchors = async (days: number) =>
      (await listExpiring(OPERATOR, { days })).filter(({ kind }) => kind === 'trust-anchor');
    expect(await anchors(60)).toMatchObject([{ name: 'Our CA', setting: 'NODE_EXTRA_CA_CERTS' }]);
    expect(await anchors(30)).toEqual([]);
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\nno certificate\n-----END CERTIFICATE-----\n');
    expect(await anchors(60)).toEqual([]);
    rmSync(file);
    expect(await anchors(60)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
});
