// The data that is stored about a person for every possible response of a verifier or broker.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { log } from '#lib/kit/log.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { describePerson, leavesOpen, type Members } from './person-claims.ts';

const method = (type: 'external' | 'broker', config: object = {}): SnapshotMethod => ({
  ...{ id: 'partner', type, name: 'Partner', sealedSecret: null, epoch: '0' },
  config: { ...config },
});
const mapped = (claims: Record<string, string>) => method('external', { claims });

const warned = vi.spyOn(log(), 'warn').mockImplementation(() => undefined);
beforeEach(() => warned.mockClear());

it.each<[unknown, unknown]>([
  ['text', 'text'],
  [0, 0],
  [false, false],
  [[], []],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [
    { locality: 'Delft', floor: 2 },
    { locality: 'Delft', floor: 2 },
  ],
  [JSON.parse('{"a":"b","__proto__":"x"}'), { a: 'b' }],
])('the value %j is stored as a claim', (said, kept) => {
  expect(describePerson(mapped({ x: 'm' }), { m: said }).claims).toEqual({ x: kept });
  expect(warned).not.toHaveBeenCalled();
});

it.each(['', null, undefined])('the claim value %j counts as absent, without a warning', (said) => {
  expect(describePerson(mapped({ x: 'm' }), { m: said }).claims).toEqual({});
  expect(warned).not.toHaveBeenCalled();
});

it.each<[unknown]>([
  [[['a']]],
  [{ a: { b: 'secret-value' } }],
  [{ a: ['secret-value'] }],
  [Number.POSITIVE_INFINITY],
  ['secret-value\u0000'],
  ['secret-value\ud800'],
  [['secret-value\u0000']],
  [{ 'secret-value\u0000': 'x' }],
  ['secret-value'.repeat(1_000)],
])('an invalid claim is dropped, and the log contains its name without the value: %#', (said) => {
  expect(describePerson(mapped({ x: 'm' }), { m: said }).claims).toEqual({});
  expect(warned).toHaveBeenCalledTimes(1);
  expect(warned.mock.calls[0]?.[0]).toMatchObject({ auth_method: 'partner', claim: 'x' });
  expect(JSON.stringify(warned.mock.calls)).not.toContain('secret-value');
});

it.each([
  [[101, 102], ['101', '102'], 0],
  [['a', null], ['a'], 1],
  [['a', 1], ['a', '1'], 0],
  [['a', { b: 'c' }, '', true, 'd'], ['a', 'd'], 1],
  [[null], undefined, 1],
])(
  'the list %j is stored as the claim %j: invalid members are dropped and logged, and valid members stay',
  (said, kept, logged) => {
    expect(describePerson(mapped({ groups: 'm' }), { m: said }).claims['groups']).toEqual(kept);
    expect(warned).toHaveBeenCalledTimes(logged);
  },
);

it.each([null, '', '  ', undefined])(
  'the claim value %j in the ID token counts as absent: the userinfo value is used',
  (nothing) => {
    const row = {
      ...mapped({ groups: 'groups' }),
      type: 'broker' as const,
      config: { claims: { groups: 'groups' }, trust_email: true },
    };
    const token = {
      ...{ email: nothing, email_verified: nothing, name: nothing, groups: nothing, given_name: nothing },
    };
    expect(leavesOpen(row, token)).toBe(true);
    const more = {
      email: 'ada@a.example',
      email_verified: true,
      name: 'Ada',
      groups: ['x'],
      given_name: 'Ada',
    };
    expect(describePerson(row, token, more)).toEqual({
      email: 'ada@a.example',
      emailVerified: true,
      name: 'Ada',
      claims: { groups: ['x'], given_name: 'Ada' },
    });
  },
);

it('a claim that is an empty list or false in the ID token counts as a value', () => {
  const row = mapped({ groups: 'groups', staff: 'staff' });
  const token = { email: 'a@a.example', name: 'Ada', groups: [], staff: false };
  expect(leavesOpen(row, token)).toBe(false);
  expect(describePerson(row, token, { groups: ['x'], staff: true }).claims).toEqual({
    groups: [],
    staff: false,
  });
});

it('an address verified in the ID token does not verify a different address of userinfo', () => {
  const row = { ...mapped({}), type: 'broker' as const, config: { trust_email: true } };
  const token = { email: null, email_verified: true };
  expect(describePerson(row, token, { email: 'ada@a.example' }).emailVerified).toBe(false);
});

it('all claims of a person together are limited to 8 KiB, and the largest claims are dropped', () => {
  const names = Array.from({ length: 50 }, (_, at) => `c${at}`);
  const map = Object.fromEntries(names.map((name) => [name, name]));
  const said = Object.fromEntries(names.map((name, at) => [name, 'ü'.repeat(at * 10)]));
  const { claims, leftOut } = describePerson(mapped(map), said);
  expect(Buffer.byteLength(JSON.stringify(claims))).toBeLessThanOrEqual(8_192);
  expect(Object.keys(claims)).toEqual(names.slice(1, Object.keys(claims).length + 1));
  expect(Object.keys(claims).length).toBeGreaterThan(20);
  expect(leftOut).toEqual(names.slice(Object.keys(claims).length + 1));
});

it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'the claim %s exists only if the provider sent it',
  (member) => {
    expect(describePerson(mapped({ x: member }), {}).claims).toEqual({});
    const said = JSON.parse(`{"${member}":"told"}`) as Members;
    expect(describePerson(mapped({ x: member }), said).claims).toEqual({ x: 'told' });
  },
);

describe('claims from two sources: the ID token, then userinfo', () => {
  const broker = method('broker', { trust_email: true });
  const ours = { email: 'a@x.example', name: 'A' };

  it('of two sources with a value for a claim, the first source wins', () => {
    const more = { name: 'B', locale: 'nl', email: 'b@x.example' };
    expect(describePerson(broker, ours, more)).toMatchObject({ ...ours, claims: { locale: 'nl' } });
  });

  it('email_verified of a source applies only to the address from this source', () => {
    const proved = (...sources: Members[]) => describePerson(broker, ...sources).emailVerified;
    expect(proved(ours, { email: 'b@x.example', email_verified: true })).toBe(false);
    expect(proved({ email_verified: true }, { email: 'b@x.example' })).toBe(false);
    expect(proved(ours, { email: 'a@x.example', email_verified: true })).toBe(true);
    expect(proved({ ...ours, email_verified: false }, { ...ours, email_verified: true })).toBe(false);
    expect(proved({ email_verified: true })).toBe(false);
  });

  it('userinfo is requested if the ID token lacks a claim', () => {
    expect(leavesOpen(method('broker'), ours)).toBe(false);
    expect(leavesOpen(method('broker'), { email: ours.email })).toBe(true);
    expect(leavesOpen(method('broker'), { name: 'A' })).toBe(true);
    expect(leavesOpen(broker, ours)).toBe(true);
    expect(leavesOpen(broker, { ...ours, email_verified: false })).toBe(false);
    expect(leavesOpen(method('broker', { claims: { groups: 'memberOf' } }), ours)).toBe(true);
  });
});

it.each([7, '', '   ', 'x'.repeat(321), 'a@x.example\u0000'])(
  'an invalid email address counts as absent and unverified: %j',
  (email) => {
    const said = { email, email_verified: true };
    const told = describePerson(method('broker', { trust_email: true }), said);
    expect([told.email, told.emailVerified]).toEqual([null, false]);
  },
);

describe('OpenID Connect Core §5.1: a broker’s phone number, with its proof', () => {
  const number = '+31 6 1234 5678';
  it.each<[object[], object]>([
    [
      [{ phone_number: number, phone_number_verified: true }],
      { phone_number: number, phone_number_verified: true },
    ],
    [
      [{ phone_number: number, phone_number_verified: 'false' }],
      { phone_number: number, phone_number_verified: false },
    ],
    [[{ phone_number: number, phone_number_verified: 'perhaps' }], { phone_number: number }],
    [[{ phone_number: number }], { phone_number: number }],
    [
      [{ phone_number: number }, { phone_number: '+1', phone_number_verified: true }],
      { phone_number: number },
    ],
    [[{ phone_number_verified: true }], {}],
    [[{ phone_number: 31, phone_number_verified: true }], {}],
  ])('the phone number and its verification are read from the sources %j', (sources, claims) => {
    expect(describePerson(method('broker'), ...(sources as Members[])).claims).toEqual(claims);
  });

  it('userinfo is requested for a missing phone number if the method requests the scope phone', () => {
    const idToken = { email: 'ada@example.com', name: 'Ada' };
    expect(leavesOpen(method('broker', { scopes: ['email', 'phone'] }), idToken)).toBe(true);
    expect(leavesOpen(method('broker', { scopes: ['email'] }), idToken)).toBe(false);
  });

  it('at a verifier, the claim map names the phone number and verification members', () => {
    const map = { phone_number: 'tel', phone_number_verified: 'tel_ok' };
    expect(describePerson(mapped(map), { tel: number, tel_ok: true, phone_number: '+1' }).claims).toEqual({
      phone_number: number,
      phone_number_verified: true,
    });
  });
});

describe('several values for a single-value claim (RFC 4524 §2.16)', () => {
  const values = {
    mail: ['ada@example.com', 'lovelace@example.com'],
    cn: ['Ada', 'Countess'],
    tel: ['', '+15550100', '+15550101'],
    photo: ['https://img.example/1.png', 'https://img.example/2.png'],
    language: ['en', 'de'],
    memberOf: ['a', 'b'],
    list: ['x', 'y'],
  };
  const claims = {
    ...{ email: 'mail', name: 'cn', phone_number: 'tel', picture: 'photo', locale: 'language' },
    ...{ groups: 'memberOf', shelves: 'list' },
  };

  it.each(['external', 'broker'] as const)(
    '%s: single-value claims use the first value, list claims keep every value',
    (type) => {
      const told = describePerson(method(type, { claims }), values);
      expect(told).toMatchObject({ email: 'ada@example.com', name: 'Ada' });
      expect(told.claims).toMatchObject({
        ...{ phone_number: '+15550100', picture: 'https://img.example/1.png', locale: 'en' },
        ...{ groups: ['a', 'b'], shelves: ['x', 'y'] },
      });
      expect(leavesOpen(method(type, { claims }), values)).toBe(false);
    },
  );

  it('if email has several values, email_verified from the same source applies to the first address only', () => {
    const row = method('broker', { trust_email: true });
    const proof = { email: ['ada@example.com', 'x@example.com'], email_verified: [true, false] };
    expect(describePerson(row, proof).emailVerified).toBe(true);
    expect(describePerson(row, { email: 'x@example.com' }, proof).emailVerified).toBe(false);
  });
});
