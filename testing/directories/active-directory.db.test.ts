// The kind against a real Active Directory (Samba): its codes, its subjects and its groups.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MethodConfig, methodKind } from '#lib/registry/index.ts';
import { AD_BASE, AD_PASSWORD, hasSamba, type Samba, startSamba } from '#testing/directories/samba.ts';

const kind = requiredOf(methodKind('ldap'));

/** All that the kind of a directory can be asked. */
function requiredOf({ verify, trial, recheck }: ReturnType<typeof methodKind>) {
  if (!verify || !trial || !recheck) throw new Error('a kind of method lacks something');
  return { verify, trial, recheck };
}

const PEOPLE = ['ada', 'disabled', 'expired', 'new'];

describe.skipIf(!hasSamba)('Active Directory', () => {
  let samba: Samba;
  beforeAll(async () => {
    samba = await startSamba(`
for name in ${JSON.stringify(PEOPLE)}:
    sam.newuser(name, '${AD_PASSWORD}', mailaddress=name + '@corp.example')
for name in ['inner', 'outer']:
    sam.newgroup(name)
sam.add_remove_group_members('inner', ['ada'])
sam.add_remove_group_members('outer', ['inner'])
sam.disable_account('(sAMAccountName=disabled)')
sam.setexpiry('(sAMAccountName=expired)', -86400)
sam.setpassword('(sAMAccountName=new)', '${AD_PASSWORD}', force_change_at_next_login=True)
`);
  }, 180_000);
  afterAll(() => samba?.close());

  const methodOf = (more: MethodConfig) => {
    const config = {
      urls: [`ldaps://localhost:${samba.tlsPort}`],
      ca: samba.ca,
      server_kind: 'active-directory',
      timeout_ms: 5000,
      bind_dn: `CN=Administrator,CN=Users,${AD_BASE}`,
      base_dn: AD_BASE,
      allow_private_network: true,
      ...more,
    };
    return { id: 'corp', config, secret: AD_PASSWORD };
  };
  const ask = (name: string, more: MethodConfig = {}, password = AD_PASSWORD) =>
    kind.verify(methodOf(more), name, password);

  test('a right password is the person, by objectGUID as Windows writes it', async () => {
    const told = await ask('ada');
    expect(told).toMatchObject({
      kind: 'accepted',
      profile: {
        sub: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        email: 'ada@corp.example',
      },
    });
    for (const bind_as of ['{username}@corp.example', 'CORP\\{username}'])
      expect(await ask('ada', { bind_dn: undefined, bind_as })).toEqual(told);
    expect(await ask('ada@corp.example')).toEqual(told);
  });

  test('groups: nested ones and the primary one by token_groups, nested ones by a search, the entry’s own by memberOf', async () => {
    const groups = async (given: object) => {
      const told = await ask('ada', { groups: given });
      return told.kind === 'accepted' ? told.profile['groups'] : told;
    };
    expect(await groups({})).toEqual(['Domain Users', 'Users', 'inner', 'outer']);
    expect(await groups({ from: 'search' })).toEqual(['inner', 'outer']);
    expect(await groups({ from: 'memberOf' })).toEqual(['inner']);
    expect(await groups({ keep: ['IN*', 'users'] })).toEqual(['Users', 'inner']);
  });

  test('what AD says of an account is told only after a right password', async () => {
    // a search from the root is referred to other parts of the forest, which are not asked
    const refused = (reason: string) => ({ kind: 'refused', reason, referrals: 1 });
    expect(await ask('disabled')).toEqual(refused('disabled'));
    expect(await ask('expired')).toEqual(refused('expired'));
    expect(await ask('new')).toEqual({ ...refused('password-must-change'), mustChange: true });
    const wrong = await Promise.all([...PEOPLE, 'nobody'].map((name) => ask(name, {}, 'wrong')));
    expect(wrong.map((one) => (one.kind === 'refused' ? one.reason : one))).toEqual([
      ...PEOPLE.map(() => 'wrong'),
      'unknown',
    ]);
  });

  test('a password never goes over a connection without TLS, which AD refuses', async () => {
    const urls = [`ldap://localhost:${samba.port}`];
    expect(await ask('ada', { urls })).toEqual({ kind: 'no-verdict', because: 'it wants TLS (result 8)' });
    expect(await ask('ada', { urls, start_tls: true })).toMatchObject({ kind: 'accepted' });
  });

  test('a trial counts the groups and the referrals, and says that passwords need TLS', async () => {
    const person = { name: 'ada', password: AD_PASSWORD };
    const tried = async (more: MethodConfig) => {
      const steps = await kind.trial(methodOf(more), { mayBind: true, person });
      return steps.map((step) => [
        'failed' in step
          ? step.failed.reason
          : step.found.text.replace('{count}', String(step.found.values?.['count'])),
        step.answered,
      ]);
    };
    expect(await tried({ groups: {} })).toEqual([
      ['Days until its certificate ends: {days}.', expect.stringMatching(/^TLS, notAfter \d{4}-/)],
      [expect.stringMatching(/^It refuses an invented account/), 'result 49'],
      ['The account is accepted.', 'result 0'],
      [expect.stringMatching(/^The place is there/), 'result 0'],
      ['Exactly one entry has this name.', 'entries: 1, referrals: 1'],
      [expect.stringMatching(/^It has {attribute}/), 'result 0'],
      ['Groups: 4.', expect.stringMatching(/^referrals: \d+$/)],
      ['Name and password are right.', null],
    ]);
    expect(await tried({ urls: [`ldap://localhost:${samba.port}`] })).toEqual([
      ['It answers, and passwords go to it without TLS.', null],
      ['It takes passwords by TLS alone.', 'result 8'],
    ]);
  });
});
