// Sign-in methods of the type LDAP with a real Active Directory (Samba): its error codes, its subjects and its
// groups.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MethodConfig } from '#lib/catalogue/methods/kind.ts';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { sql } from '#testing/data/registry.ts';
import {
  AD_BASE,
  AD_PASSWORD,
  ADMINISTRATOR,
  hasSamba,
  type Samba,
  startSamba,
} from '#testing/directories/samba.ts';
import {
  applyDirectory,
  exchangedFor,
  hoursLater,
  reasonsOf,
  recheckNow,
  refreshed,
  scopeIn,
  tokensOf,
} from '#testing/directories/signed-in.ts';
import { typed } from '#testing/in-process/typed.ts';

const kind = requiredOf(methodKind('ldap'));

/** Functions of the directory method. */
function requiredOf({ verify, trial, recheck }: ReturnType<typeof methodKind>) {
  if (!verify || !trial || !recheck) throw new Error('a kind of method lacks something');
  return { verify, trial, recheck };
}

const PEOPLE = ['ada', 'disabled', 'expired', 'new'];
/** Users who are signed in. All except the last user leave the directory. */
const SIGNED_IN = ['dora', 'edda', 'lena', 'gina', 'rita', 'nora'];
const GROUP_OF_DEPTH = 'outer';

describe.skipIf(!hasSamba)('Active Directory', () => {
  let samba: Samba;
  beforeAll(async () => {
    samba = await startSamba(`
for name in ${JSON.stringify([...PEOPLE, ...SIGNED_IN])}:
    sam.newuser(name, '${AD_PASSWORD}', mailaddress=name + '@corp.example')
for name in ['inner', 'outer']:
    sam.newgroup(name)
sam.add_remove_group_members('inner', ['ada', 'nora'])
sam.add_remove_group_members('outer', ['inner'])
sam.modify_ldif('dn: ${AD_BASE}\\nchangetype: modify\\nreplace: lockoutThreshold\\nlockoutThreshold: 3\\n')
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
      bind_dn: ADMINISTRATOR,
      base_dn: AD_BASE,
      allow_private_network: true,
      ...more,
    };
    return { id: 'corp', config, secret: AD_PASSWORD };
  };
  const ask = (name: string, more: MethodConfig = {}, password = AD_PASSWORD) =>
    kind.verify(methodOf(more), name, typed(password));

  test('a correct Active Directory password returns the user, identified by objectGUID in Windows notation', async () => {
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

  test('token_groups returns nested and primary groups, search returns nested groups, and memberOf direct groups', async () => {
    const groups = async (given: object) => {
      const told = await ask('ada', { groups: given });
      return told.kind === 'accepted' ? told.profile['groups'] : told;
    };
    expect(await groups({})).toEqual(['Domain Users', 'Users', 'inner', 'outer']);
    expect(await groups({ from: 'search' })).toEqual(['inner', 'outer']);
    expect(await groups({ from: 'memberOf' })).toEqual(['inner']);
    expect(await groups({ keep: ['IN*', 'users'] })).toEqual(['Users', 'inner']);
  });

  test('the state of an account in Active Directory is reported only after a correct password', async () => {
    // the search returns referrals to other parts of the forest; Gatehouse ignores them
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

  test('Active Directory rejects passwords without TLS, and Gatehouse sends none', async () => {
    const urls = [`ldap://localhost:${samba.port}`];
    expect(await ask('ada', { urls })).toEqual({ kind: 'no-verdict', because: 'it wants TLS (result 8)' });
    expect(await ask('ada', { urls, start_tls: true })).toMatchObject({ kind: 'accepted' });
  });

  test('the connection test of Active Directory counts groups and referrals, and reports that passwords need TLS', async () => {
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
      ['Days until its certificate expires: {days}.', expect.stringMatching(/^TLS, notAfter \d{4}-/)],
      [expect.stringMatching(/^An invented account is correctly rejected/), 'result 49'],
      ['The account is accepted.', 'result 0'],
      [expect.stringMatching(/^The search base exists/), 'result 0'],
      ['Exactly one entry has this name.', 'entries: 1, referrals: 1'],
      [expect.stringMatching(/^The entry has {attribute}/), 'result 0'],
      ['Groups: 4.', expect.stringMatching(/^referrals: \d+$/)],
      ['The name and password are correct.', null],
    ]);
    expect(await tried({ urls: [`ldap://localhost:${samba.port}`] })).toEqual([
      ['The server responds, but passwords are sent to it without TLS.', null],
      ['The server accepts passwords only over TLS.', 'result 8'],
    ]);
  });

  describe('a directory recheck', () => {
    const changed = (name: string, change: string) =>
      samba.modify(`dn: CN=${name},CN=Users,${AD_BASE}\nchangetype: ${change}\n`);
    const given = (name: string) => tokensOf(name, AD_PASSWORD);
    const lives = async (tokens: Record<string, string>) => 'access_token' in (await refreshed(tokens));
    beforeAll(async () => {
      setLogLevel('silent');
      const lines = [
        `urls: ["ldaps://localhost:${samba.tlsPort}"]`,
        `ca: ${JSON.stringify(samba.ca)}`,
        'server_kind: active-directory',
        `bind_dn: ${ADMINISTRATOR}`,
        'bind_password_env: STAFF_PASSWORD',
        `base_dn: ${AD_BASE}`,
        'timeout_ms: 5000',
        'groups: { from: token_groups }',
        'claims: { groups: groups }',
        'recheck_seconds: 300',
        'allow_private_network: true',
      ];
      await applyDirectory(lines, [GROUP_OF_DEPTH], AD_PASSWORD);
    });

    test('recheck: disabled, expired, locked or deleted users are signed out, and renamed users stay signed in', async () => {
      const names = ['dora', 'edda', 'lena', 'gina', 'rita'];
      let tokens = await Promise.all(names.map(given));
      await changed('dora', 'modify\nreplace: userAccountControl\nuserAccountControl: 514');
      await changed('edda', 'modify\nreplace: accountExpires\naccountExpires: 132000000000000000');
      for (let wrong = 0; wrong < 3; wrong += 1) await ask('lena', {}, 'wrong');
      await changed('gina', 'delete');
      await changed('rita', 'modrdn\nnewrdn: CN=rita the second\ndeleteoldrdn: 1');
      await recheckNow(2);
      const reasons = () => Promise.all(names.map((name) => reasonsOf(`${name}@corp.example`)));
      expect(await reasons()).toEqual([['disabled'], ['expired'], ['locked'], [], []]);
      const answers = await Promise.all(tokens.map(refreshed));
      expect(answers.map((one) => 'access_token' in one)).toEqual([false, false, false, true, true]);
      tokens = answers;
      await hoursLater(1);
      await recheckNow();
      expect((await reasons()).slice(3)).toEqual([['gone'], []]);
      expect(await Promise.all(tokens.slice(3).map(lives))).toEqual([false, true]);
      const refusals = await sql(
        "select details->>'because' as told from audit_events where event = 'sign_in.refused'",
      );
      expect(refusals).toEqual([]);
    });

    test('after the recheck, a user who left a nested group loses its scope in the next response', async () => {
      const loops = await Promise.all([1, 2].map(() => given('nora')));
      let isOver = false;
      let isStopped = false;
      const scopes: { after: boolean; scope: string }[] = [];
      const running = loops.map(async (first) => {
        let tokens = first;
        while (!isStopped) {
          for (const next of [refreshed, exchangedFor]) {
            const after = isOver;
            const answer = await next(tokens);
            scopes.push({ after, scope: scopeIn(answer) });
            if (next === refreshed) tokens = answer;
          }
        }
      });
      const enough = (after: boolean) =>
        expect.poll(() => scopes.filter((one) => one.after === after).length).toBeGreaterThan(10);
      await enough(false);
      await samba.modify(
        `dn: CN=inner,CN=Users,${AD_BASE}\nchangetype: modify\ndelete: member\nmember: CN=nora,CN=Users,${AD_BASE}\n`,
      );
      await recheckNow();
      isOver = true;
      await enough(true);
      isStopped = true;
      await Promise.all(running);
      expect(scopes[0]?.scope).toBe('read write');
      const later = new Set(scopes.filter(({ after }) => after).map(({ scope }) => scope));
      expect(later).toContain('read');
      expect(later).not.toContain('read write');
    });
  });
});
