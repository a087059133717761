// A directory user with several names gets as many guesses as a user with one name.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { seal } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import {
  BASE,
  DIRECTORY_PASSWORD,
  hasSlapd,
  personEntry,
  SEARCHER,
  type Slapd,
  startSlapd,
} from '#testing/directories/slapd.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { checkPassword } from './steps.ts';

describe.skipIf(!hasSlapd)('OpenLDAP', () => {
  let slapd: Slapd;
  beforeAll(async () => {
    setLogLevel('silent');
    await givenFixtures();
    slapd = await startSlapd();
    slapd.add(personEntry('ann', ['uid: annie', 'uid: anna']));
    await sql("insert into auth_methods (id, type, name, position) values ('staff', 'ldap', 'Staff', 100)");
  });
  afterAll(() => slapd?.close());
  beforeEach(() => sql('delete from attempts'));

  const guess = async (username: string, password: string, ip: string) => {
    const config = {
      ...{ urls: [`ldap://127.0.0.1:${slapd.port}`], base_dn: BASE, bind_dn: SEARCHER.dn },
      allow_private_network: true,
    };
    const sealedSecret = seal(SEARCHER.password, 'auth_methods:staff', settings().secrets);
    const method: SnapshotMethod = {
      id: 'staff',
      type: 'ldap',
      name: 'Staff',
      config,
      sealedSecret,
      epoch: '0',
    };
    return (await checkPassword({ method, username, password, cookieHeader: undefined, requestId: 'r', ip }))
      ?.kind;
  };

  test('of many guesses with three names of one directory account, ten are checked, and later guesses with any name are not', async () => {
    const names = ['ann', 'annie', 'anna'];
    const kinds: (string | undefined)[] = [];
    for (let n = 0; n < 15; n += 1) kinds.push(await guess(names[n % 3] ?? '', `wrong ${n}`, `192.0.2.${n}`));
    expect(kinds).toEqual([
      ...Array.from({ length: 10 }, () => 'refused'),
      ...Array.from({ length: 5 }, () => 'slow-down'),
    ]);
    expect(await guess('anna', DIRECTORY_PASSWORD, '198.51.100.1')).toBe('slow-down');
  }, 30_000);
});
