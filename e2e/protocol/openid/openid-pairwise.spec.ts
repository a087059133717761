// Pairwise subject identifiers (OpenID Connect Core §8.1) with an unmodified library, which requires equal `sub` in ID
// token, userinfo and refresh response.
import { expect, test } from '@playwright/test';
import * as openid from 'openid-client';
import type { Person } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { Browser } from '#testing/service/browser.ts';
import { RelyingParty } from '../../support/clients/openid.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const PAIRWISE = /^[\w-]{43}$/;

let person: Person;
test.beforeAll(async () => {
  person = await makePerson();
});

async function pairwise(list: string | null = null) {
  const client = await makeClient();
  await sql(`update clients set subject_type = 'pairwise', sector_identifier_uri = $2 where client_id = $1`, [
    client.clientId,
    list,
  ]);
  return RelyingParty.at(door, client);
}

test('openid-client: ID token, userinfo, refresh and introspection contain one sub', async () => {
  const rp = await pairwise();
  expect(rp.metadata.subject_types_supported).toEqual(['public', 'pairwise']);
  const { tokens, claims } = await rp.signIn(new Browser(door), person, { scope: 'openid profile read' });
  const { sub = '' } = claims;
  expect(sub).toMatch(PAIRWISE);
  expect(await openid.fetchUserInfo(rp.config, tokens.access_token, sub)).toMatchObject({
    name: person.name,
  });
  const renewed = await openid.refreshTokenGrant(rp.config, tokens.refresh_token ?? '');
  expect((await rp.verified(renewed)).claims.sub).toBe(sub);
  for (const token of [tokens.access_token, renewed.access_token])
    expect(await openid.tokenIntrospection(rp.config, token)).toMatchObject({ active: true, sub });
  expect(JSON.stringify([tokens, claims, renewed])).not.toContain(person.id);
});

test('clients of one sector share a user’s sub, other sectors have a different one, and repeated sign-ins keep it', async () => {
  const list = 'https://sector.example/list.json';
  const parties = [await pairwise(list), await pairwise(list), await pairwise()];
  const subs: (string | undefined)[] = [];
  for (const rp of parties) subs.push((await rp.signIn(new Browser(door), person)).claims.sub);
  expect(subs[0]).toBe(subs[1]);
  expect(new Set([...subs, person.id]).size).toBe(3);
  expect((await parties[2]?.signIn(new Browser(door), person))?.claims.sub).toBe(subs[2]);
});

test('an API that requires pairwise subjects receives them from every client, in opaque tokens too', async () => {
  const { id: api } = await makeApi({ pairwise_subjects: true, access_token_format: 'opaque' });
  const client = await makeClient({ apis: [api] });
  const party = () => RelyingParty.at(door, client, { at: { api } });
  // waits, because the server may still use the settings of the API that it cached during setup
  await expect.poll(async () => (await party()).metadata.subject_types_supported).toEqual(['pairwise']);
  const rp = await party();
  const asked = rp.request();
  const { location } = await new Browser(door).finish(asked.params, person, { api });
  const { tokens, claims } = await rp.finish(asked, location);
  const { sub = '' } = claims;
  expect(sub).toMatch(PAIRWISE);
  expect(await openid.fetchUserInfo(rp.config, tokens.access_token, sub)).toEqual({ sub });
  expect(await openid.tokenIntrospection(rp.config, tokens.access_token)).toMatchObject({ sub });
});

test('an ID token hint restores the same user without interaction, and at logout it ends the session', async () => {
  const rp = await pairwise();
  const browser = new Browser(door);
  const { idToken, claims } = await rp.signIn(browser, person);
  const silent = { prompt: 'none', id_token_hint: idToken };
  expect((await rp.signIn(browser, undefined, silent)).claims.sub).toBe(claims.sub);
  const answer = await browser.get(`${issuerOf(door)}/logout?id_token_hint=${idToken}`);
  expect(answer.status).toBe(200);
  const again = await browser.finish(rp.request(silent).params);
  expect(new URL(again.location).searchParams.get('error')).toBe('login_required');
});
