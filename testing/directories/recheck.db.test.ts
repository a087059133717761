// Users who leave a real OpenLDAP server while signed in: Gatehouse ends their sessions and group memberships.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { recheckPeople } from '#lib/auth-methods/recheck.ts';
import { log, setLogLevel } from '#lib/kit/log.ts';
import { sql } from '#testing/data/registry.ts';
import { withClient } from '#testing/data/sql.ts';
import { Visitor } from '#testing/in-process/visitor.ts';
import {
  applyDirectory,
  DIRECTORY_ISSUER,
  exchangedFor,
  hoursLater,
  reasonsOf,
  recheckNow,
  refreshed,
  scopeIn,
  tokensOf,
} from './signed-in.ts';
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
} from './slapd.ts';

const EDITORS = `cn=editors,ou=groups,${BASE}`;
const PEOPLE = ['ada', 'bea', 'cleo', 'dora', 'edda', 'fay', 'gwen', 'hedy', 'ida', 'joan', 'kay'];

describe.skipIf(!hasSlapd)('a directory recheck', () => {
  let slapd: Slapd;
  const lines = (more: string[] = []) => [
    `urls: ["ldap://127.0.0.1:${slapd.port}"]`,
    'server_kind: openldap',
    `bind_dn: ${SEARCHER.dn}`,
    'bind_password_env: STAFF_PASSWORD',
    `base_dn: ou=people,${BASE}`,
    'reject_filter: (employeeType=gone)',
    'claims: { groups: memberOf }',
    'recheck_seconds: 300',
    'trust_email: true',
    'allow_private_network: true',
    ...more,
  ];
  beforeAll(async () => {
    setLogLevel('silent');
    slapd = await startSlapd();
    const members = PEOPLE.map((uid) => personDn(uid));
    slapd.add(...PEOPLE.map((uid) => personEntry(uid)), groupEntry('editors', members));
    await applyDirectory(lines(), [EDITORS], SEARCHER.password);
  });
  afterAll(() => slapd?.close());
  beforeEach(() => sql('delete from attempts'));

  const given = (uid: string) => tokensOf(uid, DIRECTORY_PASSWORD);
  const change = (uid: string, ...changes: string[]) =>
    slapd.modify([`dn: ${personDn(uid)}`, 'changetype: modify', ...changes].join('\n'));
  const move = (from: string, to: string) => {
    const [newrdn, newsuperior] = to.split(/,(.*)/s);
    slapd.modify(
      `dn: ${from}\nchangetype: modrdn\nnewrdn: ${newrdn}\ndeleteoldrdn: 0\nnewsuperior: ${newsuperior}`,
    );
  };
  const outside = (uid: string) => `uid=${uid},ou=policies,${BASE}`;
  const reasons = (uid: string) => reasonsOf(`${uid}@corp.example`);
  const lives = async (tokens: Record<string, string>) => 'access_token' in (await refreshed(tokens));

  test('the recheck signs out locked or rejected users with a logged reason, and others stay signed in', async () => {
    const visitor = new Visitor();
    const at = await visitor.start({ scope: 'openid read' }, DIRECTORY_ISSUER);
    await visitor.submit(at, { username: 'bea', password: DIRECTORY_PASSWORD });
    const [ada, bea, cleo] = await Promise.all(['ada', 'bea', 'cleo'].map(given));
    expect((await visitor.start({ scope: 'openid read' }, DIRECTORY_ISSUER)).page).toBe('client');
    change('bea', 'replace: pwdAccountLockedTime', 'pwdAccountLockedTime: 000001010000Z');
    change('cleo', 'replace: employeeType', 'employeeType: gone');
    await recheckNow(3);
    expect(await Promise.all([ada, bea, cleo].map((one) => lives(one ?? {})))).toEqual([true, false, false]);
    expect((await visitor.start({ scope: 'openid read' }, DIRECTORY_ISSUER)).page).toBe('login');
    const events = await sql(
      "select actor, auth_method_id, details from audit_events where event = 'person.signed_out' order by details->>'reason'",
    );
    const event = { actor: 'system', auth_method_id: 'staff' };
    expect(events).toEqual([
      { ...event, details: { reason: 'locked', sessions: 1, families: 1 } },
      { ...event, details: { reason: 'rejected', sessions: 0, families: 1 } },
    ]);
    const left = await sql<{ email: string }>(
      `select i.email from group_members g join external_identities i using (person_id) order by 1`,
    );
    expect(left.map(({ email }) => email)).toEqual(['ada@corp.example']);
    // a recheck no longer includes users without grants
    await recheckNow();
    expect([await reasons('bea'), await reasons('cleo')]).toEqual([['locked'], ['rejected']]);
  });

  test('users who are missing in two rechecks an hour apart are signed out, and users who are found in between or renamed stay signed in', async () => {
    let [dora = {}, edda = {}, fay = {}] = await Promise.all(['dora', 'edda', 'fay'].map(given));
    slapd.modify(`dn: ${personDn('dora')}\nchangetype: delete`);
    move(personDn('edda'), outside('edda'));
    move(personDn('fay'), `cn=fay of the directory,ou=people,${BASE}`);
    for (const hours of [0, 0.9]) {
      await hoursLater(hours);
      await recheckNow();
      [dora = {}, edda = {}, fay = {}] = await Promise.all([dora, edda, fay].map(refreshed));
    }
    // moves the entry back, so that the recheck finds the user again
    move(outside('edda'), personDn('edda'));
    await recheckNow();
    move(personDn('edda'), outside('edda'));
    await hoursLater(1);
    await recheckNow();
    expect(await Promise.all([dora, edda, fay].map(lives))).toEqual([false, true, true]);
    expect([await reasons('dora'), await reasons('edda')]).toEqual([['gone'], []]);
    await hoursLater(1);
    await recheckNow();
    expect([await reasons('dora'), await reasons('edda'), await reasons('fay')]).toEqual([
      ['gone'],
      ['gone'],
      [],
    ]);
  });

  test('a sign-in resets the result “missing” of an earlier recheck', async () => {
    await given('kay');
    move(personDn('kay'), outside('kay'));
    await recheckNow();
    await hoursLater(2);
    move(outside('kay'), personDn('kay'));
    await given('kay');
    move(personDn('kay'), outside('kay'));
    await recheckNow();
    expect(await reasons('kay')).toEqual([]);
  });

  test('if the directory server is unreachable, no session ends, and the recheck retries at the same position', async () => {
    const gwen = await given('gwen');
    change('gwen', 'replace: employeeType', 'employeeType: gone');
    await slapd.stop();
    await recheckNow();
    const [row] = await sql('select after, locked_until > now() as waits from rechecks');
    expect(row).toEqual({ after: '', waits: true });
    const again = await refreshed(gwen);
    expect(again['access_token']).toBeDefined();
    await slapd.start();
    await applyDirectory(lines(['timeout_ms: 4000']), [EDITORS], SEARCHER.password);
    await expect
      .poll(async () => {
        await recheckNow();
        return reasons('gwen');
      })
      .toEqual(['rejected']);
    expect(await lives(again)).toBe(false);
  });

  test('a recheck continues after its last position, and a completed recheck clears the position', async () => {
    await sql(
      `with made as (insert into people (id, name) select gen_random_uuid(), 'x' from generate_series(1, 120) returning id),
        known as (insert into external_identities (auth_method_id, subject, person_id, last_seen_at)
          select 'staff', 'many-' || lpad((row_number() over ())::text, 3, '0'), id, now() - interval '1 day' from made
          returning person_id)
        insert into sessions (id_hash, kind, auth_method_id, person_id, expires_at)
          select sha256(person_id::text::bytea), 'sign-in', 'staff', person_id, now() + interval '1 day' from known`,
    );
    await sql(
      "update rechecks set after = 'many-040', began_at = now() - interval '1 hour', locked_until = now()",
    );
    await recheckPeople(60_000);
    const missing = () =>
      sql(
        "select count(*)::int as n, min(subject) from external_identities where subject like 'many-%' and missing_since is not null",
      );
    expect(await missing()).toEqual([{ n: 80, min: 'many-041' }]);
    expect(await sql('select after from rechecks')).toEqual([{ after: null }]);
    // no new recheck starts within recheck_seconds
    await sql('update rechecks set began_at = now()');
    await recheckPeople(60_000);
    expect(await missing()).toEqual([{ n: 80, min: 'many-041' }]);
    await sql("delete from people where name = 'x'");
  });

  test.each([
    ['and is let in there', 'hedy', false],
    ['and is rejected there', 'ida', true],
  ])('a user signs in while the recheck ends the user’s sign-ins, %s', async (_, uid, isRejected) => {
    const tokens = await given(uid);
    change(uid, 'replace: employeeType', 'employeeType: gone');
    await withClient(process.env['DATABASE_URL'] ?? '', async (signIn) => {
      await signIn.query(`begin; update external_identities set last_seen_at = clock_timestamp() + interval '1 ms'
        where email = '${uid}@corp.example'`);
      const recheck = recheckNow();
      const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
        and query like '%external_identities%for update%'`;
      await expect.poll(() => sql(waits)).toHaveLength(1);
      if (!isRejected) change(uid, 'delete: employeeType');
      await signIn.query(`update external_identities set last_seen_at = clock_timestamp()
        where email = '${uid}@corp.example'; commit`);
      await recheck;
    });
    expect([await lives(tokens), await reasons(uid)]).toEqual([!isRejected, isRejected ? ['rejected'] : []]);
  });

  test('after the recheck, a user who left a directory group loses its scope in the next response', async () => {
    const loops = await Promise.all([1, 2, 3, 4].map(() => given('joan')));
    let isOver = false;
    let isStopped = false;
    const scopes: { after: boolean; scope: string | undefined }[] = [];
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
      expect.poll(() => scopes.filter((one) => one.after === after).length).toBeGreaterThan(20);
    await enough(false);
    slapd.modify(`dn: ${EDITORS}\nchangetype: modify\ndelete: member\nmember: ${personDn('joan')}`);
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

  test('an entry with two subjects keeps its user signed in, and a method that cannot be read stops no other recheck', async () => {
    await applyDirectory(lines(['subject_attribute: mail']), [], SEARCHER.password);
    const [ada, joan] = await Promise.all(['ada', 'joan'].map(given));
    change('ada', 'add: mail', 'mail: other@corp.example');
    change('joan', 'replace: employeeType', 'employeeType: gone');
    await sql("insert into auth_methods (id, type, name, config) values ('odd', 'ldap', 'Odd', '{}')");
    const warned = vi.spyOn(log(), 'warn');
    await recheckNow();
    expect(await Promise.all([ada, joan].map((one) => lives(one ?? {})))).toEqual([true, false]);
    const said = warned.mock.calls.map(([about]) => (about as { auth_method?: string }).auth_method);
    expect(said.sort()).toEqual(['odd', 'staff']);
  });
});
