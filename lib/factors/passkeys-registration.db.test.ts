// Registration of a passkey, with an authenticator in software (WebAuthn Level 3 §7.1).
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { settings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { Authenticator } from '#testing/factors/authenticator.ts';
import { addPasskeyWith, BROWSER, givenPasskey, inContext } from '#testing/factors/passkeys.ts';
import { passkeyRegistration, registerPasskey } from './passkeys.ts';

let person: string;
let authenticator: Authenticator;

const givenPerson = async () =>
  (await sql<{ id: string }>("insert into people (password_hash) values ('x') returning id"))[0]?.id ?? '';
const passkeysOf = (id: string) =>
  sql('select * from passkeys where person_id = $1 order by created_at', [id]);

beforeAll(() => setLogLevel('silent'));
beforeEach(async () => {
  person = await givenPerson();
  authenticator = new Authenticator(settings().authUrl);
});

test('passkey registration requests a discoverable passkey with user verification and no attestation', async () => {
  await givenPasskey(person, authenticator);
  const asked = await passkeyRegistration({
    personId: person,
    label: 'ann@example.com',
    name: 'Ann',
    browser: BROWSER,
  });
  expect(JSON.parse(asked.options)).toMatchObject({
    rp: { id: 'localhost' },
    user: { name: 'ann@example.com', displayName: 'Ann' },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    pubKeyCredParams: [{ alg: -8 }, { alg: -7 }, { alg: -257 }],
    excludeCredentials: [
      { id: authenticator.passkeys[0]?.id.toString('base64url'), transports: ['internal'] },
    ],
  });
});

test.each(['ES256', 'EdDSA', 'RS256'] as const)(
  'the registration stores %s passkeys with their properties',
  async (algorithm) => {
    const made = new Authenticator(settings().authUrl, algorithm);
    const wrong = { flags: { be: true, bs: true }, transports: ['hybrid', 'internal', 'telepathy', 7] };
    const added = await addPasskeyWith(made, person, { wrong, name: '  My \u202ephone\n ' });
    expect(added).toMatchObject({
      kind: 'registered',
      proof: { kind: 'passkey', level: 3, amr: ['swk', 'user', 'mfa'] },
    });
    expect(await passkeysOf(person)).toMatchObject([
      {
        credential_id: made.passkeys[0]?.id,
        rp_id: 'localhost',
        counter: '0',
        transports: ['hybrid', 'internal'],
        aaguid: null,
        backup_eligible: true,
        backed_up: true,
        name: 'My phone',
        last_used_at: null,
      },
    ]);
    expect(await sql('select factor_level from people where id = $1', [person])).toEqual([
      { factor_level: 3 },
    ]);
    expect(
      await sql("select details from audit_events where event = 'factor.added' and person_id = $1", [person]),
    ).toEqual([{ details: { factor: 'passkey', name: 'My phone' } }]);
  },
);

const statement = {
  fmt: 'packed',
  attStmt: new Map<string, unknown>([
    ['alg', -7],
    ['sig', randomBytes(70)],
    ['x5c', [randomBytes(300)]],
  ]),
};

test('passkey registration ignores attestation statements', async () => {
  expect(await addPasskeyWith(authenticator, person, { wrong: { statement } })).toMatchObject({
    kind: 'registered',
  });
});

test.each([
  ['another origin', { origin: 'https://evil.example' }],
  ['another port', { origin: 'http://localhost:9999' }],
  ['another RP ID', { rpId: 'evil.example' }],
  ['another challenge', { challenge: randomBytes(32).toString('base64url') }],
  ['an answer to another question', { type: 'webauthn.get' }],
  ['a frame', { crossOrigin: true }],
  ['no user verification', { flags: { uv: false } }],
  ['nobody there', { flags: { up: false } }],
  ['a copy of what cannot be copied', { flags: { bs: true } }],
  ['another id than the authenticator’s', { id: randomBytes(32).toString('base64url') }],
  ['an id that is too short', { id: 'AAAA' }],
])('passkey registration is rejected, and nothing is stored: %s', async (_, wrong) => {
  expect(await addPasskeyWith(authenticator, person, { wrong })).toMatchObject({ kind: 'refused' });
  expect(await passkeysOf(person)).toEqual([]);
});

test('passkey registration rejects truncated, oversized and invalid responses', async () => {
  const { options, state } = await passkeyRegistration({
    personId: person,
    label: 'a',
    name: '',
    browser: BROWSER,
  });
  const good = authenticator.create(options);
  const cut = JSON.parse(good) as { response: { attestationObject: string } };
  const texts = [20, 60, 150, 200].map((at) =>
    JSON.stringify({
      ...cut,
      response: { ...cut.response, attestationObject: cut.response.attestationObject.slice(0, at) },
    }),
  );
  for (const response of [
    ...texts,
    '',
    '{}',
    'null',
    '[]',
    `${good}${' '.repeat(16_384)}`,
    good.replace('public-key', 'x'),
  ])
    expect(
      await registerPasskey({
        personId: person,
        browser: BROWSER,
        state,
        response,
        name: '',
        context: inContext(),
      }),
    ).toMatchObject({ kind: 'refused' });
  expect(await passkeysOf(person)).toEqual([]);
});

test('a registration challenge works once, for one person, one browser and one purpose, and expires after five minutes', async () => {
  const { options, state } = await passkeyRegistration({
    personId: person,
    label: 'a',
    name: '',
    browser: BROWSER,
  });
  const response = authenticator.create(options);
  const given = { personId: person, browser: BROWSER, state, response, name: '', context: inContext() };
  const other = await givenPerson();
  for (const wrong of [{ personId: other }, { browser: 'another' }, { state: `${state}x` }, { state: '' }])
    expect(await registerPasskey({ ...given, ...wrong })).toMatchObject({ kind: 'refused' });
  shiftClock(301_000);
  expect(await registerPasskey(given)).toEqual({
    kind: 'refused',
    code: 'factor.passkey_slow',
  });
  shiftClock(0);
  expect(await registerPasskey(given)).toMatchObject({ kind: 'registered' });
  await sql('delete from passkeys where person_id = $1', [person]);
  // a response that was sent before cannot restore a passkey that was removed
  expect(await registerPasskey(given)).toMatchObject({ kind: 'refused' });
  expect(await passkeysOf(person)).toEqual([]);
});

test('passkey registration rejects existing credentials, even for another person', async () => {
  await givenPasskey(person, authenticator);
  const mine = authenticator.passkeys[0];
  for (const id of [person, await givenPerson()]) {
    const twin = new Authenticator(settings().authUrl);
    const asked = await passkeyRegistration({ personId: id, label: 'a', name: '', browser: BROWSER });
    // the same credential id, but from the authenticator of an attacker
    const response = twin.create(asked.options, {}, mine?.id);
    expect(
      await registerPasskey({
        personId: id,
        browser: BROWSER,
        ...asked,
        response,
        name: '',
        context: inContext(),
      }),
    ).toMatchObject({ kind: 'refused' });
  }
  expect(await sql('select person_id from passkeys where credential_id = $1', [mine?.id])).toEqual([
    { person_id: person },
  ]);
});

test('a person has at most 20 passkeys, even after parallel registrations', async () => {
  const all = await Promise.all(
    Array.from({ length: 24 }, () => addPasskeyWith(new Authenticator(settings().authUrl), person)),
  );
  expect(all.filter(({ kind }) => kind === 'registered')).toHaveLength(20);
  expect(all.find(({ kind }) => kind === 'refused')).toMatchObject({
    code: 'passkey.full',
  });
  expect(await passkeysOf(person)).toHaveLength(20);
});

test('passkey registration is rejected for disabled or deleted people', async () => {
  await sql('update people set disabled_at = now() where id = $1', [person]);
  for (const id of [person, randomUUID()])
    expect(await addPasskeyWith(authenticator, id)).toMatchObject({ kind: 'refused' });
});
