// Profiles of users: users edit them, and administrators see them.
import { beforeEach, describe, expect, it } from 'vitest';
import { writeBatch } from '#lib/management/moving-in.ts';
import { changeMyProfile, readMyData, readMyProfile } from '#lib/management/my-account.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { findPersonClaims } from '#lib/store/hot/person-facts.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { events, givenEmptyRegistry, givenPerson, refusal } from '#testing/data/registry.ts';
import { readPerson } from './operations.ts';
import { readPersonLine } from './person-line.ts';
import { byProfileName, PROFILE_NAMES, type ProfileValues, profileKey } from './profile.ts';

beforeEach(() => givenEmptyRegistry());

const CHOSEN = {
  picture: 'https://x.example/a.png',
  locale: 'pt-BR',
  zoneinfo: 'Europe/Berlin',
} satisfies ProfileValues;

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
      changed: PROFILE_NAMES,
      before: byProfileName(() => null),
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

describe.each(PROFILE_NAMES)('the profile attribute %s', (name) => {
  const [key, value] = [profileKey(name), CHOSEN[name]];
  const claimsOf = async (personId: string) =>
    (await findPersonClaims({ personId, authMethodId: 'local', withGroups: false, withUserName: false }))
      .claims;

  it('is set and deleted by its user, as a claim, in the data export and in the audit log', async () => {
    const alice = await givenPerson('alice');
    await changeMyProfile(alice, { [name]: value });
    expect((await readMyProfile(alice))[name]).toBe(value);
    expect((await readPerson(OPERATOR, { id: alice.id }))[name]).toBe(value);
    expect((await claimsOf(alice.id))[key]).toBe(value);
    let data = '';
    for await (const piece of await readMyData(alice)) data += piece;
    expect(JSON.parse(data).profile[key]).toBe(value);
    await changeMyProfile(alice, { [name]: '' });
    expect((await readMyProfile(alice))[name]).toBeNull();
    expect(await claimsOf(alice.id)).not.toHaveProperty(key);
    expect((await events('person.changed')).map(({ details }) => details)).toEqual([
      { changed: [name], before: { [name]: null }, after: { [name]: value } },
      { changed: [name], before: { [name]: value }, after: { [name]: null } },
    ]);
  });

  it('is imported with its user, and an invalid value is dropped', async () => {
    const lines = [value, 7].map((given, number) => {
      const read = readPersonLine(JSON.stringify({ email: `${number}@x.example`, [key]: given }));
      if ('faults' in read) throw new Error(read.faults.join());
      return { number, ...read };
    });
    expect(lines.map(({ lost }) => lost)).toEqual([[], [`${key} must be a string`]]);
    const snapshot = await currentSnapshot();
    await inTransaction((db) => writeBatch(db, 'run', lines, snapshot));
    const [first, second] = lines.map(({ person }) => person.id);
    expect((await readPerson(OPERATOR, { id: first ?? '' }))[name]).toBe(value);
    expect((await readPerson(OPERATOR, { id: second ?? '' }))[name]).toBeNull();
  });
});
