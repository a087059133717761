// Requirements for every preset. The table lists all presets, and each test runs for every row.
import { exportPKCS8 } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PRESET_NAMES, type PresetName } from '#lib/catalogue/methods/broker/presets.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import {
  arrive,
  depart,
  forgetAll,
  givenBroker,
  knownThere,
  signInAt,
} from '#testing/brokers/at-scripted-broker.ts';
import {
  OTHER_TENANT,
  type ProviderFakes,
  startProviderFakes,
  TENANT,
} from '#testing/brokers/provider-fakes.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';

let fakes: ProviderFakes;
let appleKey: string;
beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  fakes = await startProviderFakes();
  appleKey = await exportPKCS8(fakes.appleKey);
});
afterAll(() => fakes.close());
beforeEach(async () => {
  Object.assign(fakes.script, { idToken: {}, user: {}, emails: [], token: null });
  await forgetAll();
});

type Person = { email: string | undefined; name: string; proved: boolean };
type Row = {
  config?: object;
  /** makes the provider return these user claims */
  says: (person: Person) => void;
  subject: string;
  /** the provider sends no name */
  nameless?: true;
  /** the provider omits unverified addresses */
  provedOnly?: true;
  /** the provider never marks addresses verified */
  proves?: false;
  /** the provider sends no email address */
  addressless?: true;
};
const claims = (of: (person: Person) => object) => (person: Person) => {
  fakes.script.idToken = { email: person.email, name: person.name, ...of(person) };
};
const entra = claims(({ proved }) => ({ oid: 'o', tid: TENANT, xms_edov: proved }));
const ROWS: [PresetName, Row][] = [
  [
    'google',
    { says: claims(({ proved }) => ({ sub: '10', email_verified: proved, hd: 'a.example' })), subject: '10' },
  ],
  ['microsoft', { config: { tenant: TENANT }, says: entra, subject: 'o' }],
  ['microsoft', { config: { tenants: [TENANT, OTHER_TENANT] }, says: entra, subject: `${TENANT}/o` }],
  [
    'apple',
    {
      config: { signed_secret: { team_id: 'ABCDE12345', key_id: 'FGHIJ67890' } },
      says: claims(({ proved }) => ({ sub: '001.a', email_verified: String(proved), name: undefined })),
      subject: '001.a',
      nameless: true,
    },
  ],
  [
    'github',
    {
      says: ({ email, name, proved }) => {
        fakes.script.user = { id: 7, login: name, name, email: 'public@evil.example', email_verified: true };
        fakes.script.emails = email === undefined ? [] : [{ email, primary: true, verified: proved }];
      },
      subject: '7',
      provedOnly: true,
    },
  ],
  ['gitlab', { says: claims(({ proved }) => ({ sub: '42', email_verified: proved })), subject: '42' }],
  [
    'facebook',
    {
      says: ({ email, name }) => {
        fakes.script.user = { id: '10', name, email, picture: { data: { url: 'https://a.example/p' } } };
      },
      subject: '10',
      proves: false,
    },
  ],
  [
    'linkedin',
    {
      says: claims(({ proved }) => ({ sub: 'aB-1', email_verified: proved, locale: { country: 'US' } })),
      subject: 'aB-1',
    },
  ],
  [
    'discord',
    {
      says: ({ email, name, proved }) => {
        fakes.script.user = {
          id: '80351110224678912',
          username: 'ada',
          global_name: name,
          email,
          verified: proved,
        };
      },
      subject: '80351110224678912',
    },
  ],
  [
    'x',
    {
      says: ({ name }) => {
        fakes.script.user = { id: '2244994945', name, username: 'ada' };
      },
      subject: '2244994945',
      addressless: true,
    },
  ],
  [
    'adfs',
    {
      config: { base_url: 'https://fs.a.example' },
      says: claims(() => ({ sub: 'h+1', upn: 'ada@a.example', group: ['staff'] })),
      subject: 'h+1',
      proves: false,
    },
  ],
];

const ADA: Person = { email: 'ada@a.example', name: 'Ada', proved: true };
const given = (preset: PresetName, { config }: Row) =>
  givenBroker(
    { preset, client_id: 'gatehouse', allow_private_network: true, trust_email: true, ...config },
    preset === 'apple' ? appleKey : 'a secret',
  );
async function signIn(row: Row, person: Person): Promise<number> {
  row.says(person);
  return (await signInAt(fakes)).answer.status;
}

it('the table of broker presets contains every preset', () => {
  expect([...new Set(ROWS.map(([name]) => name))]).toEqual(PRESET_NAMES);
});

it.each(ROWS)(
  '%s: a user signs in, then signs in again with a changed name and address',
  async (preset, row) => {
    await given(preset, row);
    expect(await signIn(row, ADA)).toBe(303);
    const [first] = await knownThere();
    const { subject, nameless, addressless, proves } = row;
    const told = ({ email, name }: Person) => ({
      email: addressless ? null : email,
      name: nameless ? null : name,
    });
    const verified = !addressless && proves !== false;
    expect(first).toMatchObject({ subject, verified, ...told(ADA) });
    const later = { ...ADA, email: 'lovelace@b.example', name: 'Ada Lovelace' };
    expect(await signIn(row, later)).toBe(303);
    expect(await knownThere()).toEqual([{ ...first, ...told(later) }]);
  },
);

it.each(ROWS)('%s: Cancel signs nobody in', async (preset, row) => {
  await given(preset, row);
  row.says(ADA);
  const { state, cookie } = await depart(fakes);
  expect((await arrive(`error=access_denied&state=${state}`, cookie)).status).toBe(400);
  expect(await knownThere()).toEqual([]);
});

it.each(ROWS)(
  '%s: a user without an address signs in, then with an unverified address',
  async (preset, row) => {
    await given(preset, row);
    expect(await signIn(row, { ...ADA, email: undefined })).toBe(303);
    expect(await knownThere()).toMatchObject([{ subject: row.subject, email: null, verified: false }]);
    expect(await signIn(row, { ...ADA, proved: false })).toBe(303);
    const email = row.provedOnly || row.addressless ? null : ADA.email;
    expect(await knownThere()).toMatchObject([{ subject: row.subject, email, verified: false }]);
  },
);

it.each(ROWS)('%s: claims without a subject sign nobody in', async (preset, row) => {
  await given(preset, row);
  row.says(ADA);
  const nameless = { sub: undefined, oid: undefined };
  fakes.script.idToken = { ...fakes.script.idToken, ...nameless };
  fakes.script.user = { ...fakes.script.user, id: undefined };
  expect((await signInAt(fakes)).answer.status).not.toBe(303);
  expect(await knownThere()).toEqual([]);
});

it.each(ROWS)(
  '%s: a bad code, an error with status 200 and a response over 64 KiB are rejected',
  async (preset, row) => {
    await given(preset, row);
    row.says(ADA);
    const { state, cookie } = await depart(fakes);
    expect((await arrive(`code=bad&state=${state}`, cookie)).status).toBe(400);
    fakes.script.token = { error: 'invalid_grant' };
    expect((await signInAt(fakes)).answer.status).toBe(400);
    fakes.script.token = { access_token: 'a'.repeat(65_536), token_type: 'bearer' };
    expect((await signInAt(fakes)).answer.status).toBe(503);
    expect(await knownThere()).toEqual([]);
  },
);
