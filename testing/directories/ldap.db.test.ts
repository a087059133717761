// People of a real OpenLDAP server on the hosted pages and in the configuration file.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { exportConfiguration } from '#lib/config/export.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { applyDirectory, DIRECTORY_ISSUER } from '#testing/directories/signed-in.ts';
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
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { redeemFor } from '#testing/in-process/openid.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const CHANGE_AT = 'https://password.corp.example/';

describe.skipIf(!hasSlapd)('a directory method', () => {
  let slapd: Slapd;
  beforeAll(async () => {
    setLogLevel('silent');
    slapd = await startSlapd();
    slapd.add(personEntry('ada'), personEntry('new'), groupEntry('editors', [personDn('ada')]));
    slapd.modify(`dn: ${personDn('new')}\nchangetype: modify\nreplace: pwdReset\npwdReset: TRUE`);
    await apply();
  });
  afterAll(() => slapd?.close());

  const apply = () =>
    applyDirectory(
      [
        `urls: ["ldap://127.0.0.1:${slapd.port}"]`,
        'server_kind: openldap',
        `bind_dn: ${SEARCHER.dn}`,
        'bind_password_env: STAFF_PASSWORD',
        `base_dn: ${BASE}`,
        'claims: { groups: memberOf }',
        `password_change_url: ${CHANGE_AT}`,
        'trust_email: true',
        'allow_private_network: true',
      ],
      [],
      SEARCHER.password,
    );
  const signIn = async (username: string, password = DIRECTORY_PASSWORD) => {
    const visitor = new Visitor();
    const at = await visitor.start({ scope: 'openid profile email read' }, DIRECTORY_ISSUER);
    return { visitor, place: await visitor.submit(at, { username, password }) };
  };

  test('a directory user signs in, and the client receives the mapped claims', async () => {
    const { place } = await signIn('ada');
    const given = jsonOf(await redeemFor(TRU, place.client.get('code') ?? '', DIRECTORY_ISSUER));
    expect(decodeJwt(String(given['id_token']))).toMatchObject({ amr: ['pwd'] });
    const told = await ask(`${DIRECTORY_ISSUER}/userinfo`, {
      method: 'GET',
      headers: { authorization: `Bearer ${given['access_token']}` },
    });
    expect(jsonOf(told)).toMatchObject({
      email: 'ada@corp.example',
      email_verified: true,
      groups: `cn=editors,ou=groups,${BASE}`,
    });
  });

  test('all rejected sign-ins show one message, and an expired password shows the address to change it', async () => {
    for (const [username, password] of [
      ['ada', 'wrong'],
      ['nobody', 'wrong'],
      ['new', 'wrong'],
      ['ada*', DIRECTORY_PASSWORD],
    ] as const) {
      const { visitor, place } = await signIn(username, password);
      const view = await visitor.view('login', place);
      expect(view).toMatchObject({ alert: 'sign_in.wrong', changeAt: null });
    }
    const { visitor, place } = await signIn('new');
    const view = await visitor.view('login', place);
    expect(view).toMatchObject({ alert: 'sign_in.must_change', changeAt: CHANGE_AT });
    const refusals = await sql<{ details: object }>(
      "select details from audit_events where event = 'sign_in.refused' order by id",
    );
    expect(refusals.map(({ details }) => details)).toEqual([
      { reason: 'refused', because: 'wrong' },
      { reason: 'refused', because: 'unknown' },
      { reason: 'must-change', because: 'password-must-change' },
    ]);
    expect(JSON.stringify(refusals)).not.toContain('nobody');
  });

  test('a second apply of the configuration file changes nothing, and no response contains the search password', async () => {
    expect(await apply()).toEqual([]);
    const exported = await exportConfiguration();
    expect(exported).toContain('type: ldap');
    const read = await readAuthMethod(OPERATOR, { id: 'staff' });
    expect(read).toMatchObject({ hasSecret: true, config: { base_dn: BASE } });
    for (const text of [exported, JSON.stringify(read)]) expect(text).not.toContain(SEARCHER.password);
    const [row] = await sql("select config::text, sealed_secret from auth_methods where id = 'staff'");
    expect(JSON.stringify(row)).not.toContain(SEARCHER.password);
  });
});
