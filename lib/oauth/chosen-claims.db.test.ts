// Clients receive the values that users chose on the account page (OpenID Connect Core §5.1, §5.4).
import { expect, test } from 'vitest';
import { byProfileName, type ProfileValues } from '#lib/catalogue/people/profile.ts';
import { changeMyProfile } from '#lib/management/my-account.ts';
import {
  brokerWith,
  byBroker,
  elsewhere,
  givenPeopleElsewhere,
  userinfo,
} from '#testing/brokers/people-elsewhere.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';

givenPeopleElsewhere();

const CHOSEN = {
  picture: 'https://me.example/me.png',
  locale: 'nl',
  zoneinfo: 'Europe/Amsterdam',
} satisfies ProfileValues;

async function whoever(name: string) {
  const [row] = await sql<{ id: string }>('select person_id as id from external_identities where name = $1', [
    name,
  ]);
  return {
    kind: 'person',
    id: row?.id ?? '',
    email: null,
    roles: [],
    signedInAt: null,
    request: null,
  } as const;
}

test('the user’s own profile values override the broker’s, and require the scope `profile`', async () => {
  elsewhere.say = { picture: 'https://broker.example/b.png', given_name: 'Nora' };
  await brokerWith({});
  const tokens = await byBroker('nora', 'openid profile');
  expect(await userinfo(tokens)).toEqual({
    name: 'nora',
    given_name: 'Nora',
    picture: 'https://broker.example/b.png',
  });
  const nora = await whoever('nora');
  await changeMyProfile(nora, CHOSEN);
  const chosen = { name: 'nora', given_name: 'Nora', ...CHOSEN };
  expect(await userinfo(tokens)).toEqual(chosen);
  // the next sign-in updates broker values but keeps the user's choices
  expect(await userinfo(await byBroker('nora', 'openid profile'))).toEqual(chosen);
  expect(await userinfo(await byBroker('nora', 'openid'))).toEqual({});
  expect(await userinfo(await byBroker('nora', 'openid email'))).not.toHaveProperty('picture');
  await changeMyProfile(
    nora,
    byProfileName(() => ''),
  );
  expect(await userinfo(tokens)).toEqual({
    name: 'nora',
    given_name: 'Nora',
    picture: elsewhere.say['picture'],
  });
});

test('the metadata of every kind of method list the user’s own profile claims', async () => {
  for (const method of ['pw', 'ext', 'brk']) {
    const answer = await ask(`/auth/${method}/api/orders/.well-known/openid-configuration`);
    expect(jsonOf(answer)['claims_supported']).toEqual(expect.arrayContaining(Object.keys(CHOSEN)));
  }
});
