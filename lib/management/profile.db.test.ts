// Profiles of users: users edit them, and administrators see them.
import { beforeEach, expect, it } from 'vitest';
import { events, givenEmptyRegistry, givenPerson, refusal } from '#testing/data/registry.ts';
import { changeMyProfile, readMyProfile } from './my-account.ts';
import { readPerson } from './people.ts';
import { OPERATOR } from './policy.ts';

beforeEach(() => givenEmptyRegistry());

const CHOSEN = { picture: 'https://x.example/a.png', locale: 'pt-BR', zoneinfo: 'Europe/Berlin' };

it('users can set and clear picture, language and time zone, and each change is audited', async () => {
  const alice = await givenPerson('alice');
  await changeMyProfile(alice, { ...CHOSEN, locale: 'PT-br' });
  expect(await readMyProfile(alice)).toMatchObject({ name: '', ...CHOSEN });
  await changeMyProfile(alice, CHOSEN);
  await changeMyProfile(alice, { name: 'Alice', picture: '', zoneinfo: null });
  expect(await readPerson(OPERATOR, { id: alice.id })).toMatchObject({
    name: 'Alice',
    ...CHOSEN,
    picture: null,
    zoneinfo: null,
  });
  const { picture, zoneinfo } = CHOSEN;
  expect((await events('person.changed')).map(({ details }) => details)).toEqual([
    {
      changed: ['picture', 'locale', 'zoneinfo'],
      before: { picture: null, locale: null, zoneinfo: null },
      after: CHOSEN,
    },
    {
      changed: ['name', 'picture', 'zoneinfo'],
      before: { name: '', picture, zoneinfo },
      after: { name: 'Alice', picture: null, zoneinfo: null },
    },
  ]);
});

it('an invalid profile field is reported and rejects the complete change', async () => {
  const alice = await givenPerson('alice');
  const refused = await refusal(
    changeMyProfile(alice, { name: 'Alice', ...CHOSEN, locale: 'xx', zoneinfo: 'Mars' }),
  );
  expect(refused?.faults.map(({ field }) => field)).toEqual(['locale', 'zoneinfo']);
  expect(await readMyProfile(alice)).toMatchObject({ name: '', picture: null, locale: null, zoneinfo: null });
  expect(await events('person.changed')).toEqual([]);
});

it('each of several concurrent profile changes is saved completely or fails with the error "stale"', async () => {
  const alice = await givenPerson('alice');
  const zones = ['Europe/Berlin', 'Europe/Paris', 'Asia/Tokyo', 'UTC', 'America/Lima', 'Africa/Cairo'];
  const outcomes = await Promise.all(
    zones.map((zoneinfo, at) =>
      refusal(changeMyProfile(alice, { zoneinfo, picture: `https://x.example/${at}` })),
    ),
  );
  const made = outcomes.filter((outcome) => outcome === null).length;
  expect(outcomes.every((outcome) => outcome === null || outcome.kind === 'stale')).toBe(true);
  expect((await events('person.changed')).length).toBe(made);
  const { zoneinfo, picture } = await readMyProfile(alice);
  expect(picture).toBe(`https://x.example/${zones.indexOf(zoneinfo ?? '')}`);
});
