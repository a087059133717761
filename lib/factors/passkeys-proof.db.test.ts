// Passkeys that prove a person's identity, with an authenticator in software (WebAuthn Level 3 §7.2).
import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { settings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { Authenticator, type Wrong } from '#testing/factors/authenticator.ts';
import { addPasskeyWith, BROWSER, givenPasskey, inContext, proveWith } from '#testing/factors/passkeys.ts';
import {
  passkeyChallenge,
  passkeyRegistration,
  passkeySignal,
  provePasskey,
  registerPasskey,
} from './passkeys.ts';

const REFUSED = {
  kind: 'refused',
  code: 'factor.passkey_not_accepted',
};

let person: string;
let authenticator: Authenticator;

const givenPerson = async (passwordHash: string | null = 'x') =>
  (
    await sql<{ id: string }>('insert into people (password_hash) values ($1) returning id', [passwordHash])
  )[0]?.id ?? '';
const ofPasskey = async (columns: string) =>
  (await sql(`select ${columns} from passkeys where person_id = $1`, [person]))[0];

beforeAll(() => setLogLevel('silent'));
beforeEach(async () => {
  await sql('truncate attempts');
  person = await givenPerson();
  authenticator = await givenPasskey(person);
});

test('without a known person, a passkey sign-in requests no specific credential, and the user handle identifies the person', async () => {
  const { options } = await passkeyChallenge({ browser: BROWSER, personId: null });
  expect(JSON.parse(options)).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    rpId: 'localhost',
    timeout: 300_000,
    userVerification: 'required',
  });
  expect(await proveWith(authenticator)).toEqual({
    kind: 'proved',
    personId: person,
    personEpoch: expect.any(String),
    email: null,
    username: null,
    proof: { kind: 'passkey', level: 3, amr: ['hwk', 'user', 'mfa'] },
  });
  expect(await ofPasskey('counter, last_used_at')).toEqual({ counter: '1', last_used_at: expect.any(Date) });
});

test.each(['EdDSA', 'RS256'] as const)('a passkey sign-in accepts %s passkeys', async (algorithm) => {
  const other = await givenPasskey(person, new Authenticator(settings().authUrl, algorithm));
  expect(await proveWith(other)).toMatchObject({ kind: 'proved', personId: person });
});

test('for a known person, the request lists only their passkeys, and the user handle is optional', async () => {
  const { options } = await passkeyChallenge({ browser: BROWSER, personId: person });
  expect(JSON.parse(options)).toMatchObject({
    allowCredentials: [{ id: authenticator.passkeys[0]?.id.toString('base64url'), transports: ['internal'] }],
  });
  for (const userHandle of [null, '', undefined])
    expect(
      await proveWith(authenticator, {
        personId: person,
        wrong: userHandle === undefined ? {} : { userHandle },
      }),
    ).toMatchObject({ kind: 'proved', personId: person });
});

const WRONG: [string, Wrong][] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['another port', { origin: 'http://localhost:9999' }],
  ['another RP ID', { rpId: 'evil.example' }],
  ['another challenge', { challenge: randomBytes(32).toString('base64url') }],
  ['an answer to another question', { type: 'webauthn.create' }],
  ['a frame', { crossOrigin: true }],
  ['no user verification', { flags: { uv: false } }],
  ['nobody there', { flags: { up: false } }],
  ['an id that nobody has', { id: randomBytes(32).toString('base64url') }],
  ['another person’s name beside it', { userHandle: randomBytes(16).toString('base64url') }],
];

test.each(WRONG)('known and unknown people receive the identical rejection: %s', async (_, wrong) => {
  for (const personId of [null, person])
    expect(await proveWith(authenticator, { wrong, personId })).toEqual(REFUSED);
  expect(await ofPasskey('last_used_at')).toEqual({ last_used_at: null });
});

test('passkey sign-in requires a user handle from the authenticator', async () => {
  for (const userHandle of [null, ''])
    expect(await proveWith(authenticator, { wrong: { userHandle } })).toEqual(REFUSED);
});

test('passkey responses that are truncated, modified, oversized or invalid are rejected', async () => {
  const { options, state } = await passkeyChallenge({ browser: BROWSER, personId: null });
  const good = authenticator.get(options);
  const parts = JSON.parse(good) as { response: Record<string, string> };
  const but = (response: Record<string, unknown>) =>
    JSON.stringify({ ...parts, response: { ...parts.response, ...response } });
  const data = Buffer.from(parts.response['authenticatorData'] ?? '', 'base64url');
  const bad = [
    ...[0, 10, 36].map((at) => but({ authenticatorData: data.subarray(0, at).toString('base64url') })),
    but({ authenticatorData: Buffer.concat([data, Buffer.from([0])]).toString('base64url') }),
    but({ signature: `${parts.response['signature']?.slice(0, -8)}AAAAAAAA` }),
    but({ clientDataJSON: Buffer.from('{').toString('base64url') }),
    but({ clientDataJSON: 7 }),
    but({ userHandle: '\u0000' }),
    `${good}${' '.repeat(16_384)}`,
    '',
    '{}',
    'null',
  ];
  for (const response of bad)
    expect(
      await provePasskey({ browser: BROWSER, state, response, personId: null, context: inContext() }),
    ).toEqual(REFUSED);
});

test('a passkey challenge works for one browser, one person and one purpose, and expires after five minutes', async () => {
  const { options, state } = await passkeyChallenge({ browser: BROWSER, personId: person });
  const response = authenticator.get(options);
  const given = { browser: BROWSER, state, response, personId: person, context: inContext() };
  const forNew = await passkeyRegistration({ personId: person, label: 'a', name: '', browser: BROWSER });
  for (const wrong of [
    { browser: 'another' },
    { personId: await givenPerson() },
    { personId: null },
    { state: forNew.state },
  ])
    expect(await provePasskey({ ...given, ...wrong })).toEqual(REFUSED);
  expect(
    await registerPasskey({ ...given, response: authenticator.create(forNew.options), name: '' }),
  ).toMatchObject({ kind: 'refused' });
  shiftClock(301_000);
  expect(await provePasskey(given)).toMatchObject({
    code: 'factor.passkey_slow',
  });
  shiftClock(0);
  expect(await provePasskey(given)).toMatchObject({ kind: 'proved' });
});

test('of twenty parallel uses of one passkey response, exactly one is accepted, and later uses are rejected', async () => {
  const { options, state } = await passkeyChallenge({ browser: BROWSER, personId: null });
  const given = { browser: BROWSER, state, response: authenticator.get(options), personId: null };
  const prove = () => provePasskey({ ...given, context: inContext() });
  const all = await Promise.all(Array.from({ length: 20 }, prove));
  expect(all.filter(({ kind }) => kind === 'proved')).toHaveLength(1);
  expect(all.filter(({ kind }) => kind === 'refused')).toHaveLength(19);
  expect(await prove()).toEqual(REFUSED);
});

test('two tabs of one browser have separate passkey challenges, and both work', async () => {
  const tabs = await Promise.all([1, 2].map(() => passkeyChallenge({ browser: BROWSER, personId: null })));
  for (const { options, state } of tabs)
    expect(
      await provePasskey({
        browser: BROWSER,
        state,
        response: authenticator.get(options),
        personId: null,
        context: inContext(),
      }),
    ).toMatchObject({ kind: 'proved' });
});

test('if the signature counter of a passkey does not grow, an event is written and the sign-in succeeds, and 0 means no counter', async () => {
  const events = () =>
    sql("select details from audit_events where event = 'factor.counter_back' and person_id = $1", [person]);
  for (const counter of [0, 0, 9, 10])
    expect(await proveWith(authenticator, { wrong: { counter } })).toMatchObject({ kind: 'proved' });
  expect(await events()).toEqual([]);
  for (const counter of [10, 3, 0])
    expect(await proveWith(authenticator, { wrong: { counter } })).toMatchObject({ kind: 'proved' });
  expect(await events()).toEqual(Array.from({ length: 3 }, () => ({ details: { name: 'My phone' } })));
  expect(await ofPasskey('counter')).toEqual({ counter: '10' });
});

test('each use of a passkey stores its current backup state', async () => {
  const synced = new Authenticator(settings().authUrl);
  await addPasskeyWith(synced, person, { wrong: { flags: { be: true } } });
  expect(await proveWith(synced, { wrong: { flags: { be: true, bs: true } } })).toMatchObject({
    proof: { amr: ['swk', 'user', 'mfa'] },
  });
  const kept = await sql('select backed_up from passkeys where person_id = $1 order by created_at', [person]);
  expect(kept).toEqual([{ backed_up: false }, { backed_up: true }]);
});

test('for a known person, another person’s passkey is rejected with the usual error', async () => {
  const other = await givenPasskey(await givenPerson());
  expect(await proveWith(other, { personId: person })).toEqual(REFUSED);
});

test('several wrong passkey responses of a known person create one audit event', async () => {
  for (const flags of [{ uv: false }, { up: false }])
    await proveWith(authenticator, { wrong: { flags }, personId: person });
  expect(
    await sql("select details from audit_events where event = 'factor.refused' and actor = $1", [person]),
  ).toEqual([{ details: { factor: 'passkey' } }]);
});

test('the WebAuthn signal to the browser lists the person’s remaining passkeys', async () => {
  const handle = Buffer.from(person.replaceAll('-', ''), 'hex').toString('base64url');
  const told = async () => JSON.parse(await passkeySignal(person)) as unknown;
  const id = authenticator.passkeys[0]?.id.toString('base64url');
  expect(await told()).toEqual({ rpID: 'localhost', userID: handle, allAcceptedCredentialIDs: [id] });
  await sql('delete from passkeys where person_id = $1', [person]);
  expect(await told()).toMatchObject({ allAcceptedCredentialIDs: [] });
});

test('removed passkeys, passkeys of other hosts and passkeys of disabled people are rejected', async () => {
  await sql('update people set disabled_at = now() where id = $1', [person]);
  expect(await proveWith(authenticator)).toEqual(REFUSED);
  await sql('update people set disabled_at = null where id = $1', [person]);
  await sql("update passkeys set rp_id = 'old.example' where person_id = $1", [person]);
  expect(await proveWith(authenticator)).toEqual(REFUSED);
  await sql('delete from passkeys where person_id = $1', [person]);
  expect(await proveWith(authenticator)).toEqual(REFUSED);
});

test('a person without a local password can use a passkey only as the second factor', async () => {
  const broker = await givenPerson(null);
  const theirs = await givenPasskey(broker);
  expect(await proveWith(theirs)).toEqual(REFUSED);
  expect(await proveWith(theirs, { personId: broker })).toMatchObject({ kind: 'proved', personId: broker });
});

test('a flood of wrong passkey responses from one IP address is rejected after sixty responses, and fills no table', async () => {
  const { options, state } = await passkeyChallenge({ browser: BROWSER, personId: null });
  const response = authenticator.get(options, { flags: { uv: false } });
  const context = { requestId: 'r', ip: '192.0.2.7' };
  const used = await sql('select 1 from used_assertions');
  const kinds = [];
  for (let times = 0; times < 64; times += 1)
    kinds.push((await provePasskey({ browser: BROWSER, state, response, personId: null, context })).kind);
  expect(kinds.filter((kind) => kind === 'refused')).toHaveLength(60);
  expect(kinds.slice(60)).toEqual(Array.from({ length: 4 }, () => 'slow-down'));
  expect(await sql('select 1 from used_assertions')).toHaveLength(used.length);
});
