// Connection tests of directories, and the doctor: correct servers, and every known failure.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import { message, result, SEARCH, startLyingDirectory } from '#testing/directories/lying-directory.ts';
import {
  BASE,
  DIRECTORY_PASSWORD,
  groupEntry,
  hasSlapd,
  personDn,
  personEntry,
  SEARCHER,
  type Slapd,
  startSlapd,
} from '#testing/directories/slapd.ts';
import type { ConnectionTest } from './connection-steps.ts';
import { testAuthMethod, testAuthMethodInput } from './connections.ts';
import { examine } from './doctor.ts';

const BOUND = 0x61;
const DONE = 0x65;

const DIRECT = `uid={username},ou=people,${BASE}`;

let admin: Awaited<ReturnType<typeof givenPerson>>;
beforeAll(async () => {
  setLogLevel('silent');
  admin = { ...(await givenPerson('root', 'administrator')), signedInAt: new Date() };
});
beforeEach(async () => {
  await sql('delete from attempts');
  await sql("delete from auth_methods where id = 'it'");
});

const typed = (config: object, secret?: string) => ({
  ...{ id: 'it', type: 'ldap' as const, name: 'It' },
  config: { base_dn: BASE, allow_private_network: true, timeout_ms: 2000, ...config },
  ...(secret !== undefined && { secret }),
});
const shown = ({ steps }: ConnectionTest) => steps.map(({ check, state }) => `${check.text}: ${state}`);
const failed = ({ steps }: ConnectionTest) => steps.find(({ state }) => state === 'broken');
const ldap = ({ port }: { port: number }) => `ldap://localhost:${port}`;

describe.skipIf(!hasSlapd)('OpenLDAP', () => {
  let slapd: Slapd;
  let other: Slapd;
  beforeAll(async () => {
    [slapd, other] = await Promise.all([startSlapd(), startSlapd({ name: 'other.example' })]);
    slapd.add(
      personEntry('ada', ['givenName: Ada of the secrets']),
      personEntry('twin', ['uid: other']),
      personEntry('other'),
      personEntry('jürgen'),
      personEntry('dave', ['employeeType: gone']),
      groupEntry('editors', [personDn('ada')]),
    );
  });
  afterAll(() => Promise.all([slapd?.close(), other?.close()]));

  const good = (more: object = {}) => ({ urls: [ldap(slapd)], bind_dn: SEARCHER.dn, ...more });
  const tested = async (
    config: object,
    person: { name: string; password: string | null } | null = null,
    secret: string | undefined = SEARCHER.password,
  ) => {
    const { urls, ...rest } = good();
    const whole = { urls, ...('bind_as' in config ? {} : rest), ...config };
    const told = await testAuthMethodInput(admin, { ...typed(whole, secret), person });
    for (const kept of [SEARCHER.password, DIRECTORY_PASSWORD, 'Ada of the secrets'])
      expect(JSON.stringify(told)).not.toContain(kept);
    return told;
  };

  test('the connection test queries every directory server, and a typed name and password trigger one complete sign-in', async () => {
    const twice = {
      urls: [slapd, slapd].map(({ tlsPort: port }) => `ldaps://localhost:${port}`),
      ca: slapd.ca,
    };
    const claims = { given_name: 'givenName', department: 'ou', groups: 'groups' };
    const told = await tested(
      { ...twice, claims, groups: { from: 'search' } },
      { name: 'ada', password: DIRECTORY_PASSWORD },
    );
    const server = [
      // a warning, because the certificate is valid for only two days
      'Connection to {server}: warning',
      'Invented account at {server}: ok',
      'Search account at {server}: ok',
      'Search base at {server}: ok',
      'Entry of the person at {server}: ok',
      'Identity of the person at {server}: ok',
      'Groups of the person at {server}: ok',
    ];
    expect(shown(told)).toEqual([...server, 'Sign-in at {server}: ok', ...server]);
    const found = (check: RegExp) => told.steps.find((step) => check.test(step.check.text));
    expect(found(/^Connection/)?.found.text).toBe('Days until its certificate expires: {days}.');
    expect(found(/^Entry/)?.answered).toBe('entries: 1, referrals: 0');
    expect(found(/^Identity/)?.found.values).toEqual({
      attribute: 'entryUUID',
      came: 'email, name, given_name',
      missing: 'department',
    });
    expect(found(/^Groups/)?.found.values).toEqual({ count: 1 });
    const [event] = await sql("select details from audit_events where event = 'connection.tested'");
    expect(event).toEqual({ details: { what: 'auth-method', outcome: 'warning' } });
  });

  type Person = { name: string; password: string | null };
  const ada: Person = { name: 'ada', password: null };
  const named = (name: string): Person => ({ name, password: null });
  const wrong: Person = { name: 'ada', password: 'wrong' };
  const secure = (to: Slapd) => ({ urls: [`ldaps://localhost:${to.tlsPort}`] });
  test.each<[string, () => object, Person | null, RegExp]>([
    [
      'a wrong name',
      () => ({ ...secure(other), ca: other.ca }),
      null,
      /for a name other than.*in the certificate/,
    ],
    ['an unknown authority', () => secure(slapd), null, /not signed by an authority that.*in PEM, .*\(ca\)/],
    [
      'one after StartTLS',
      () => ({ start_tls: true }),
      null,
      /not signed by an authority that.*in PEM, .*\(ca\)/,
    ],
    [
      'TLS at a port without it',
      () => ({ urls: [`ldaps://localhost:${slapd.port}`] }),
      null,
      /connection.*TLS/,
    ],
    [
      'no such place',
      () => ({ base_dn: `ou=none,${BASE}` }),
      null,
      /{base} does not exist in the directory.*base_dn/,
    ],
    ['no entry', () => ({}), named('nobody'), /No entry has this name.*filter/],
    ['two entries', () => ({}), named('other'), /Several entries.*Narrow/],
    [
      'a name that is none',
      () => ({}),
      named('a\u00adda'),
      /No account can have this name.*instead of pasting it/,
    ],
    [
      'no subject',
      () => ({ subject_attribute: 'ipaUniqueID' }),
      ada,
      /no {attribute} to identify.*subject_attribute/,
    ],
    [
      'a rejected one',
      () => ({ reject_filter: '(employeeType=gone)' }),
      named('dave'),
      /matches reject_filter/,
    ],
    [
      'an unknown filter',
      () => ({ reject_filter: '(nsAccountLock=TRUE)' }),
      ada,
      /not accepted.*{because}.*log/,
    ],
    ['a wrong password', () => ({}), wrong, /sign-in is rejected \({reason}\).*Check the name/],
    [
      'one by a direct bind',
      () => ({ bind_as: DIRECT }),
      wrong,
      /sign-in is rejected \({reason}\).*Check the name/,
    ],
  ])('%s: the step suggests a change', async (_, config, person, says) => {
    const step = failed(
      await tested(config(), person, 'bind_as' in config() ? undefined : SEARCHER.password),
    );
    expect(`${step?.found.text} ${step?.change?.text}`).toMatch(says);
  });

  test('if the password of the search account is wrong, the failing test step suggests a change', async () => {
    const step = failed(await tested({}, null, 'wrong'));
    expect(`${step?.found.text} ${step?.change?.text}`).toMatch(/not accepted \({reason}\).*bind_dn/);
  });

  test('with a direct bind, the test of a sign-in requires a password', async () => {
    const config = { bind_as: DIRECT };
    const connected = ['Connection to {server}: warning', 'Invented account at {server}: ok'];
    expect(shown(await tested(config, ada, undefined))).toEqual(connected);
    expect(shown(await tested(config, { name: 'ada', password: DIRECTORY_PASSWORD }, undefined))).toEqual([
      ...connected,
      'Sign-in at {server}: ok',
    ]);
  });

  test('a password that the first directory server rejects is not sent to the second', async () => {
    const told = await tested({ urls: [ldap(slapd), ldap(slapd)] }, null, 'wrong');
    const binds = shown(told).filter((line) => line.startsWith('Search account'));
    expect(binds).toEqual(['Search account at {server}: broken']);
    expect(shown(told).at(-1)).toBe('Invented account at {server}: ok');
  });

  test('a stored secret is sent only to the stored directory servers, and only with the stored settings', async () => {
    const sent: string[] = [];
    const stranger = await startLyingDirectory((operation, id, request) => {
      sent.push(request.toString('latin1'));
      return message(id, result(operation === SEARCH ? DONE : BOUND, operation === SEARCH ? 0 : 49));
    });
    await createAuthMethod(admin, typed(good(), SEARCHER.password));
    const whole = (change: object) => testAuthMethodInput(admin, typed(good(change)));
    const bind = 'Search account at {server}: ok';
    expect(shown(await whole({ filter: '(cn={username})' }))).toContain(bind);
    for (const change of [
      { urls: [ldap(stranger)] },
      { urls: [ldap(slapd), ldap(stranger)] },
      { start_tls: true },
      { ca: slapd.ca },
    ]) {
      const told = await whole(change);
      expect(told.steps.at(-1)).toMatchObject({ state: 'skipped', check: { text: 'Secret' } });
      expect(shown(told)).not.toContain(bind);
    }
    expect(sent).not.toEqual([]);
    expect(sent.join()).not.toContain(SEARCHER.password);
    await testAuthMethodInput(admin, typed(good({ urls: [ldap(stranger)] }), 'typed-by-hand'));
    expect(sent.join()).toContain('typed-by-hand');
    await stranger.close();
  });

  test('doctor tests each directory server without user sign-in', async () => {
    await createAuthMethod(
      admin,
      typed(good({ urls: [ldap(slapd), 'ldap://localhost:1'] }), SEARCHER.password),
    );
    const found = (await examine()).filter(({ check }) => check === 'ldap it');
    expect(found.map(({ state, detail }) => `${state}: ${detail}`)).toEqual([
      expect.stringMatching(
        /^warning: ldap:\S+: The server responds, but passwords are sent to it without TLS\. Use ldaps/,
      ),
      expect.stringMatching(
        /^ok: ldap:\S+ BIND answers result 49: An invented account is correctly rejected/,
      ),
      expect.stringMatching(
        /^ok: ldap:\S+ BIND cn=gatehouse,\S+ answers result 0: The account is accepted\.$/,
      ),
      expect.stringMatching(
        /^ok: ldap:\S+ SEARCH dc=corp,dc=example answers result 0: The search base exists/,
      ),
      expect.stringMatching(/^broken: ldap:\/\/localhost:1: Nothing listens at localhost, port 1\./),
    ]);
    expect(JSON.stringify(found)).not.toContain(SEARCHER.password);
    const stored = await testAuthMethod(admin, { id: 'it', person: ada });
    expect(shown(stored)).toContain('Entry of the person at {server}: ok');
  });
});
