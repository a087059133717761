// The LDAP kind with a real OpenLDAP server: users who are accepted, their claims, and users who are rejected.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ADMIN,
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
import { typed } from '#testing/in-process/typed.ts';
import type { MethodConfig } from '../kind.ts';
import { askDirectory } from './verify.ts';

const WRONG = 'wrong-password';

describe.skipIf(!hasSlapd)('OpenLDAP', () => {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await startSlapd();
    slapd.add(
      personEntry('ada', ['ou: Engines', 'ou: Mathematics', 'givenName;lang-de: Gräfin', 'givenName: Ada']),
      personEntry('jürgen'),
      personEntry('grace'),
      personEntry('dave', ['employeeType: gone']),
      personEntry('twin', ['uid: other']),
      personEntry('other'),
      groupEntry('editors', [personDn('ada')]),
      groupEntry('staff', [`cn=editors,ou=groups,${BASE}`]),
      // a DN that contains an escaped comma, in another subtree
      `dn: cn=R\\2c D,ou=policies,${BASE}\nobjectClass: groupOfNames\ncn: R, D\nmember: ${personDn('grace')}`,
      // more groups of groups than one request covers
      ...Array.from({ length: 60 }, (_, at) => groupEntry(`many${at}`, [personDn('grace')])),
      groupEntry('above', [`cn=many59,ou=groups,${BASE}`]),
      groupEntry('again', [`cn=staff,ou=groups,${BASE}`]),
      personEntry('alias', ['uid: also', 'uid: too']),
      `${groupEntry('named', [SEARCHER.dn])}\ndescription: alias`,
    );
    // groups that contain each other in a circle
    slapd.modify(
      `dn: cn=editors,ou=groups,${BASE}\nchangetype: modify\nadd: member\nmember: cn=again,ou=groups,${BASE}`,
    );
  });
  afterAll(() => slapd?.close());

  const search = (more: MethodConfig = {}): MethodConfig => ({
    urls: [`ldap://127.0.0.1:${slapd.port}`],
    bind_dn: SEARCHER.dn,
    base_dn: BASE,
    allow_private_network: true,
    ...more,
  });
  const direct = (more: MethodConfig = {}): MethodConfig => {
    const { bind_dn: _, ...config } = search({ bind_as: `uid={username},ou=people,${BASE}`, ...more });
    return config;
  };
  const ask = (config: MethodConfig, name: string, password = DIRECTORY_PASSWORD) =>
    askDirectory({ id: 'staff', config, secret: SEARCHER.password }, name, typed(password));

  test.each([
    ['search and bind', search],
    ['a direct bind', direct],
  ])('%s: a correct directory password returns the user, with a stable subject', async (_, config) => {
    const claims = { department: 'OU', given_name: 'givenname', groups: 'memberOf' };
    const told = await ask(config({ claims }), 'ada');
    expect(told).toEqual({
      kind: 'accepted',
      profile: {
        sub: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        name: 'ada of the directory',
        email: 'ada@corp.example',
        OU: ['Engines', 'Mathematics'],
        givenname: 'Ada',
        memberOf: `cn=editors,ou=groups,${BASE}`,
      },
    });
    expect(await ask(config({ claims }), 'ADA')).toEqual(told);
    expect(await ask(config(), 'jürgen'.normalize('NFD'))).toMatchObject({ kind: 'accepted' });
  });

  test.each([
    ['search and bind', search],
    ['a direct bind', direct],
  ])('%s: a wrong directory password and an unknown name are rejected', async (_, config) => {
    expect(await ask(config(), 'grace', WRONG)).toMatchObject({ kind: 'refused' });
    expect(await ask(config(), 'nobody', WRONG)).toMatchObject({ kind: 'refused' });
  });

  test('RFC 4513 §5.1.2: an empty password is rejected before any connection, although this directory server accepts it', async () => {
    const gone = search({ urls: ['ldap://127.0.0.1:1'] });
    const tried = await Promise.all([ask(gone, 'ada', ''), ask(gone, ''), ask(gone, '  ')]);
    expect(tried).toEqual(tried.map(() => ({ kind: 'refused', reason: 'no-name' })));
  });

  test('names that a directory could match to another account are rejected at sign-in', async () => {
    const names = {
      all: '*',
      'another filter (RFC 4515)': '*)(uid=*',
      'a parenthesis': 'ada(',
      NUL: 'ada\u0000',
      'a megabyte': 'a'.repeat(1_048_576),
      'a letter for two others': 'ß',
      'a right-to-left mark': '\u200fada',
      'a soft hyphen': 'a\u00adda',
      'two spaces': 'ada  lovelace',
      'wide letters, which a directory takes for plain ones': 'ａｄａ',
      'half a character': 'ada\ud800',
      'another part of a DN (RFC 4514)': `ada,ou=people,${BASE}`,
      'a quoted sign': 'ada\\',
    };
    const told = Object.entries(names).flatMap(([what, name]) =>
      [search(), direct()].map(async (config) => [what, (await ask(config, name)).kind]),
    );
    expect(await Promise.all(told)).toEqual(
      Object.keys(names).flatMap((what) => [
        [what, 'refused'],
        [what, 'refused'],
      ]),
    );
  });

  test('if a directory has two entries for a name, the name cannot sign in', async () => {
    expect(await ask(search(), 'other')).toEqual({ kind: 'refused', reason: 'several-entries' });
  });

  test('groups come from the entry or from a recursive search for members, even with cycles, and the setting "keep" filters them', async () => {
    const groups = async (given: object) => {
      const told = await ask(search({ groups: given }), 'ada');
      return told.kind === 'accepted' ? told.profile['groups'] : told;
    };
    expect(await groups({})).toEqual(['editors']);
    expect(await groups({ from: 'search' })).toEqual(['again', 'editors', 'staff']);
    expect(await groups({ from: 'search', keep: ['*t*', '(x'] })).toEqual(['editors', 'staff']);
    expect(await groups({ from: 'search', filter: '(&(cn=editors)(member={dn}))' })).toEqual(['editors']);
  });

  test('groups of the entry are limited to base_dn, their names are unescaped, and more than fifty nested groups are found', async () => {
    const groups = async (given: object) => {
      const told = await ask(search({ groups: given }), 'grace');
      return told.kind === 'accepted' ? told.profile['groups'] : told;
    };
    expect(await groups({ base_dn: `OU=policies, ${BASE}` })).toEqual(['R, D']);
    expect(await groups({ base_dn: `ou=groups,${BASE}`, keep: ['R*', 'many7'] })).toEqual(['many7']);
    expect(await groups({ from: 'search', keep: ['above', 'many59'] })).toEqual(['above', 'many59']);
  });

  test('if the directory cannot evaluate reject_filter, nobody can sign in', async () => {
    expect(await ask(search({ reject_filter: '(nsAccountLock=TRUE)' }), 'ada')).toEqual({
      kind: 'no-verdict',
      because: 'it cannot say whether reject_filter finds the person',
    });
  });

  test('reject_filter also rejects directory users with a correct password', async () => {
    const config = { reject_filter: '(employeeType=gone)' };
    expect(await ask(search(config), 'dave')).toEqual({ kind: 'refused', reason: 'rejected' });
    expect(await ask(direct(config), 'dave')).toEqual({ kind: 'refused', reason: 'rejected' });
    expect(await ask(search(config), 'ada')).toMatchObject({ kind: 'accepted' });
  });

  test('a group search by name uses the name in the entry, whatever spelling the user typed', async () => {
    const groups = { from: 'search', filter: '(description={username})' };
    for (const name of ['alias', 'also', 'ALSO', 'too'])
      expect(await ask(search({ groups }), name)).toMatchObject({ profile: { groups: ['named'] } });
    expect(await ask(search({ groups }), 'ada')).toMatchObject({ profile: { groups: [] } });
    expect(await ask(direct({ groups }), 'alias')).toMatchObject({ profile: { groups: ['named'] } });
  });

  test('the sign-in attempts with all names of an entry share one limit', async () => {
    const counted: string[] = [];
    for (const name of ['alias', 'also', 'too'])
      await askDirectory(
        { id: 'staff', config: search(), secret: SEARCHER.password },
        name,
        typed(WRONG),
        (account, check) => {
          counted.push(account);
          return check();
        },
      );
    expect(counted).toHaveLength(3);
    expect(new Set(counted).size).toBe(1);
  });

  test('an entry whose subject is missing or repeated cannot sign in', async () => {
    for (const subject_attribute of ['ipaUniqueID', 'ou', 'objectGUID'])
      expect(await ask(search({ subject_attribute }), 'ada')).toMatchObject({
        kind: 'no-verdict',
        because: expect.stringContaining(subject_attribute),
      });
  });

  test('a rejected password of the search account is reported, and does not count as a wrong password of the user', async () => {
    const config = search();
    const asked = (secret: string | null) =>
      askDirectory({ id: 'staff', config, secret }, 'ada', typed(DIRECTORY_PASSWORD));
    expect(await asked(WRONG)).toMatchObject({
      kind: 'no-verdict',
      because: expect.stringMatching(/bind_dn/),
    });
    expect(await asked(null)).toMatchObject({ kind: 'no-verdict', because: 'bind_password is missing' });
  });

  test('password policy: a user must change a reset password, and a locked account gets the error of a wrong password', async () => {
    slapd.add(personEntry('new'), personEntry('locked'));
    slapd.modify(`dn: ${personDn('new')}\nchangetype: modify\nreplace: pwdReset\npwdReset: TRUE`);
    expect(await ask(search(), 'new')).toEqual({
      kind: 'refused',
      mustChange: true,
      reason: 'password-must-change',
    });
    expect(await ask(search(), 'new', WRONG)).toEqual({ kind: 'refused', reason: 'wrong' });
    for (let i = 0; i < 3; i++) await ask(search(), 'locked', WRONG);
    expect(await ask(search(), 'locked')).toEqual({ kind: 'refused', reason: 'locked' });
  });

  test('a user must change an expired password, and only the correct password reveals this', async () => {
    slapd.add(
      `dn: cn=short,ou=policies,${BASE}\nobjectClass: person\nobjectClass: pwdPolicy\ncn: short\nsn: short\npwdAttribute: userPassword\npwdMaxAge: 1`,
      personEntry('old', [
        `pwdPolicySubentry: cn=short,ou=policies,${BASE}`,
        'pwdChangedTime: 20200101000000Z',
      ]),
    );
    expect(await ask(search(), 'old')).toMatchObject({ mustChange: true, reason: 'password-expired' });
    expect(await ask(search(), 'old', WRONG)).toEqual({ kind: 'refused', reason: 'wrong' });
  });

  test('if no directory server can be reached, the sign-in is unavailable', async () => {
    const config = search({ urls: ['ldap://127.0.0.1:1'] });
    expect(await ask(config, 'ada')).toEqual({ kind: 'no-verdict', because: 'unreachable' });
  });

  test('the search connection stays separate and never gets the permissions of a user', async () => {
    const names = ['ada', 'grace', 'ada', 'jürgen'];
    const told = await Promise.all(
      names.map((name, at) => ask(search(), name, at % 2 ? WRONG : DIRECTORY_PASSWORD)),
    );
    expect(told.map(({ kind }) => kind)).toEqual(['accepted', 'refused', 'accepted', 'refused']);
    expect(ADMIN.dn).not.toBe(SEARCHER.dn);
  });
});
