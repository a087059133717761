// The conformance suite's modules about userinfo, scopes and claims (plan Basic OP), each test named after its module.
import { expect, test } from '@playwright/test';
import type { JWTPayload } from 'jose';
import type { Person } from '#testing/data/world.ts';
import { send } from '#testing/net/http.ts';
import type { Sent } from '#testing/net/sent.ts';
import { Browser, type Params } from '#testing/service/browser.ts';
import { openIdCast, type RelyingParty } from '../../support/clients/openid.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

/** Claims that only userinfo returns, not the ID token (Core §5.4). */
const PERSONAL = [
  'name',
  'preferred_username',
  'updated_at',
  'email',
  'email_verified',
  'address',
  'phone_number',
];
const profile = (person: Person) => ({
  name: person.name,
  updated_at: expect.any(Number),
});
const email = (person: Person) => ({ email: person.email, email_verified: false });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
/** ways to send the access token (RFC 6750 §2) */
const LINKS: { module: string; sent: (token: string) => Sent }[] = [
  { module: 'oidcc-userinfo-get', sent: (token) => ({ headers: bearer(token) }) },
  { module: 'oidcc-userinfo-post-header', sent: (token) => ({ headers: bearer(token), method: 'POST' }) },
  { module: 'oidcc-userinfo-post-body', sent: (token) => ({ form: { access_token: token } }) },
];

/**
 * `expected`: the claims that userinfo returns in addition to `sub`. Local users have no postal address or telephone
 * number.
 */
const ASKED: { module: string; changes: Params; expected: (person: Person) => object }[] = [
  { module: 'oidcc-scope-profile', changes: { scope: 'openid profile' }, expected: profile },
  { module: 'oidcc-scope-email', changes: { scope: 'openid email' }, expected: email },
  { module: 'oidcc-scope-address', changes: { scope: 'openid address' }, expected: () => ({}) },
  { module: 'oidcc-scope-phone', changes: { scope: 'openid phone' }, expected: () => ({}) },
  {
    module: 'oidcc-scope-all',
    changes: { scope: 'openid email phone address profile' },
    expected: (person) => ({ ...profile(person), ...email(person) }),
  },
  {
    module: 'oidcc-claims-essential',
    changes: { claims: JSON.stringify({ userinfo: { name: { essential: true } } }) },
    expected: ({ name }) => ({ name }),
  },
];

function expectNoPersonalClaims(claims: JWTPayload): void {
  expect(Object.keys(claims).filter((claim) => PERSONAL.includes(claim))).toEqual([]);
}

let rp: RelyingParty;
let person: Person;
let browser: Browser;

test.beforeAll(async () => {
  ({ rp, person } = await openIdCast(door));
  browser = new Browser(door);
  await rp.signIn(browser, person);
});

for (const { module, sent } of LINKS) {
  test(`${module}: userinfo returns JSON with the sub of the ID token`, async () => {
    const { tokens, claims } = await rp.signIn(browser);
    const answer = await send(rp.metadata.userinfo_endpoint ?? '', sent(tokens.access_token));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json()).toEqual({ sub: claims.sub });
  });
}

for (const { module, changes, expected } of ASKED) {
  test(`${module}: the claims appear in userinfo, not in the ID token`, async () => {
    // local users have no postal address or telephone number, so metadata omit these scopes
    const scopes = (changes['scope'] ?? 'openid').split(' ');
    expect(rp.metadata.scopes_supported).toEqual(
      expect.arrayContaining(scopes.filter((scope) => !['address', 'phone'].includes(scope))),
    );
    expect(rp.metadata['claims_parameter_supported']).toBe(true);
    const signedIn = await rp.signIn(browser, person, changes);
    expect(await rp.userinfo(signedIn)).toEqual({ sub: person.id, ...expected(person) });
    expectNoPersonalClaims(signedIn.claims);
  });
}
