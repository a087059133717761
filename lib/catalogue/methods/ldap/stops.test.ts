// A server stops during a sign-in: Gatehouse asks the next server or returns no verdict, and never rejects the
// user.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BASE,
  DIRECTORY_PASSWORD,
  hasSlapd,
  personEntry,
  SEARCHER,
  type Slapd,
  startSlapd,
} from '#testing/directories/slapd.ts';
import { STOPS, type StoppingProxy, startStoppingProxy } from '#testing/directories/stopping-proxy.ts';
import { typed } from '#testing/in-process/typed.ts';
import type { MethodConfig } from '../kind.ts';
import { askDirectory } from './verify.ts';

/** A policy for accounts that wrong passwords do not lock, because a locked account would rightly be rejected. */
const POLICY = `cn=free,ou=policies,${BASE}`;
const POLICY_ENTRY = [
  `dn: ${POLICY}`,
  'objectClass: person',
  'objectClass: pwdPolicy',
  'cn: free',
  'sn: free',
  'pwdAttribute: userPassword',
  'pwdLockout: FALSE',
].join('\n');

const SEARCH_AND_BIND: MethodConfig = { bind_dn: SEARCHER.dn };
const DIRECT: MethodConfig = { bind_as: `uid={username},ou=people,${BASE}` };
let methods = 0;

describe.skipIf(!hasSlapd)('two servers of OpenLDAP', () => {
  let first: Slapd;
  let second: Slapd;
  beforeAll(async () => {
    [first, second] = await Promise.all([startSlapd(), startSlapd()]);
    for (const one of [first, second])
      one.add(POLICY_ENTRY, personEntry('ada', [`pwdPolicySubentry: ${POLICY}`]));
  });
  afterAll(() => Promise.all([first?.close(), second?.close()]));

  /**
   * Signs in through a proxy that stops. Uses a separate method, so that no other test has moved its servers to the
   * end.
   */
  const signIn = (way: StoppingProxy, ports: number[], config: MethodConfig) => {
    const urls = [way.port, ...ports].map((port) => `ldap://127.0.0.1:${port}`);
    // settings that are the same for both servers
    const more = {
      subject_attribute: 'uid',
      base_dn: BASE,
      reject_filter: '(employeeType=gone)',
      allow_private_network: true,
    };
    const method = {
      id: `stops-${methods++}`,
      config: { ...more, ...config, urls },
      secret: SEARCHER.password,
    };
    return (name: string, password: string) => askDirectory(method, name, typed(password));
  };

  test.each<[string, MethodConfig, boolean, string, string, number]>([
    ['a right password', SEARCH_AND_BIND, false, 'ada', DIRECTORY_PASSWORD, 6],
    [
      'a right password, with a connection that is there',
      SEARCH_AND_BIND,
      true,
      'ada',
      DIRECTORY_PASSWORD,
      4,
    ],
    ['a right password, by a direct bind', DIRECT, false, 'ada', DIRECTORY_PASSWORD, 5],
    ['a wrong password', SEARCH_AND_BIND, false, 'ada', 'wrong', 3],
    ['a wrong password, by a direct bind', DIRECT, false, 'ada', 'wrong', 1],
    ['an unknown name', SEARCH_AND_BIND, false, 'unknown', 'wrong', 3],
  ])(
    '%s: if the first directory server stops at any point, the second server decides',
    async (_, config, isWarm, name, password, requests) => {
      const whole = await startStoppingProxy(first);
      const usual = signIn(whole, [], config);
      if (isWarm) await usual('ada', DIRECTORY_PASSWORD);
      const before = whole.count();
      const answer = await usual(name, password);
      expect(whole.count() - before).toBe(requests);
      await whole.close();

      const points = STOPS.flatMap((how) =>
        Array.from({ length: requests }, (_, at) => [how, at + 1] as const),
      );
      const told = points.flatMap(([how, request]) =>
        [[], [second.port]].map(async (next) => {
          const way = await startStoppingProxy(first);
          const ask = signIn(way, next, config);
          if (isWarm) await ask('ada', DIRECTORY_PASSWORD);
          way.stopAt(request, how);
          const given = await ask(name, password);
          await way.close();
          return { how, request, next: next.length, given };
        }),
      );
      // true if the first server answered everything, or the next server answered
      const isAnswered = (how: string, request: number, next: number) =>
        next > 0 || (how === 'after' && request === requests);
      expect(await Promise.all(told)).toEqual(
        points.flatMap(([how, request]) =>
          [0, 1].map((next) => ({
            ...{ how, request, next },
            given: isAnswered(how, request, next)
              ? answer
              : { kind: 'no-verdict', because: expect.any(String) },
          })),
        ),
      );
    },
  );

  test('a directory connection that was closed since its last use is opened again at the same server', async () => {
    const way = await startStoppingProxy(first);
    const ask = signIn(way, [], SEARCH_AND_BIND);
    const answer = await ask('ada', DIRECTORY_PASSWORD);
    expect(answer).toMatchObject({ kind: 'accepted' });
    way.drop();
    expect(await ask('ada', DIRECTORY_PASSWORD)).toEqual(answer);
    expect(await ask('ada', 'wrong')).toEqual({ kind: 'refused', reason: 'wrong' });
    await way.close();
  });

  test('of 1,000 sign-ins while the first directory server stops, none fails', async () => {
    const urls = [first, second].map(({ port }) => `ldap://127.0.0.1:${port}`);
    const config = { urls, base_dn: BASE, bind_dn: SEARCHER.dn, allow_private_network: true };
    const ask = (password: string) =>
      askDirectory({ id: 'fails-over', config, secret: SEARCHER.password }, 'ada', typed(password));
    const kinds = new Map<string, number>();
    let begun = 0;
    const worker = async () => {
      while (begun < 1_000) {
        begun += 1;
        if (begun === 300) await first.stop();
        const told = await ask(DIRECTORY_PASSWORD);
        const kind = told.kind === 'accepted' ? told.kind : JSON.stringify(told);
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 20 }, worker));
    expect(Object.fromEntries(kinds)).toEqual({ accepted: 1_000 });
    expect(await ask('wrong')).toEqual({ kind: 'refused', reason: 'wrong' });
  });
});
