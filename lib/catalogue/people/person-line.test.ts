import { expect, it } from 'vitest';
import { readPersonLine } from './person-line.ts';

const BCRYPT = `$2b$12$${'a'.repeat(53)}`;
const ada = {
  id: 'F47AC10B-58CC-4372-A567-0E02B2C3D479',
  subject: 'auth0|5f7c8ec7c33c6c004bbafe82',
  email: 'Ada@Example.com',
  email_verified: true,
  username: 'A\u0301da',
  name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  locale: 'en-GB',
  zoneinfo: 'Europe/London',
  picture: 'https://img.example/ada.png',
  disabled: false,
  created_at: '2020-02-03T04:05:06.000Z',
  password: { hash: BCRYPT },
  must_change_password: true,
  roles: ['developer'],
  groups: ['staff-editors'],
  claims: { department: 'engines', levels: [1, 2] },
  identities: [{ auth_method: 'github', subject: '4711', email: 'ada@example.com', name: 'ada' }],
  totp: { secret: 'JBSWY3DPEHPK3PXP', algorithm: 'SHA1', digits: 6, period: 30 },
  consents: [{ client_id: 'shop', api: 'orders', scopes: ['orders:read'], given_at: '2021-01-01T00:00:00Z' }],
};
const read = (value: unknown) => readPersonLine(JSON.stringify(value));
const faultsOf = (value: unknown) => {
  const found = read(value);
  return 'faults' in found ? found.faults : [];
};

it('contract 9: every key of an import line is read, and ids, addresses and user names are normalized', () => {
  expect(read(ada)).toEqual({
    lost: [],
    person: {
      ...ada,
      id: ada.id.toLowerCase(),
      email: 'ada@example.com',
      username: '\u00e1da',
      created_at: new Date(ada.created_at),
      password: { hash: { form: 'kept', kind: 'bcrypt', hash: BCRYPT } },
      consents: [{ ...ada.consents[0], given_at: new Date('2021-01-01T00:00:00Z') }],
    },
  });
});

it('an import line without an id always results in the same user, and a line that identifies no user is rejected', () => {
  const idOf = (value: unknown) => {
    const found = read(value);
    return 'person' in found ? found.person.id : null;
  };
  expect(idOf({ email: 'ada@example.com' })).toBe(idOf({ email: 'ADA@example.com', name: 'Ada' }));
  expect(idOf({ email: 'ada@example.com' })).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/);
  expect(idOf({ email: 'ada@example.com' })).not.toBe(idOf({ email: 'bob@example.com' }));
  expect(faultsOf({ name: 'Ada' })).toEqual(['must have an id, subject, email, username or identity']);
});

it('each fault of an import line is reported separately with its path', () => {
  expect(readPersonLine('{"email":')).toEqual({ faults: ['is not JSON'] });
  expect(faultsOf([])).toEqual(['must be keys and values']);
  expect(faultsOf({ ...ada, shoe: 1, id: '7' })).toEqual([
    'id must be a UUID',
    'shoe is not a key of a person',
  ]);
  expect(faultsOf({ ...ada, email: 'ada', roles: ['king'], username: 'a@b' })).toEqual([
    'email must be an email address',
    'username must not contain @',
    'roles[0] must be administrator, approver, developer',
  ]);
  expect(faultsOf({ ...ada, subject: 'a b', name: 'a\u0000' })).toEqual(['name contains a NUL character']);
  expect(faultsOf({ ...ada, totp: { secret: 'JBSWY3DPEHPK3PXP', digits: 8 } })).toEqual([
    'totp.digits must be 6',
  ]);
  expect(faultsOf({ ...ada, password: { hash: `$2x$10$${'a'.repeat(53)}` } })).toEqual([
    'password.hash cannot come along: bcrypt of the kind 2x was made by a faulty program, and cannot be checked',
  ]);
});

it('an invalid optional member of an import line is dropped and reported, and the user is imported', () => {
  const bio = 'x'.repeat(20_480);
  const long = read({ email: 'a@example.com', claims: { bio, department: 'engines' } });
  expect(long).toMatchObject({
    person: { email: 'a@example.com', claims: { department: 'engines' } },
    lost: ['claims.bio has 20482 bytes: all claims together have at most 16384'],
  });
  const half = { half: 'x'.repeat(9_000), other: 'y'.repeat(9_001), small: 'z' };
  expect(read({ email: 'a@example.com', claims: half })).toMatchObject({
    person: { claims: { half: half.half, small: 'z' } },
    lost: [expect.stringMatching(/^claims\.other has 9003 bytes/)],
  });
  const others: [key: string, value: unknown][] = [
    ['claims', { iss: 'x' }],
    ['locale', 'no language'],
    ['picture', 'http://a.example/x.png'],
    ['created_at', 'yesterday'],
    ['consents', [{ client_id: 'shop', api: 'not an id', scopes: [] }]],
  ];
  for (const [key, value] of others) {
    const found = read({ email: 'a@example.com', [key]: value });
    expect('lost' in found && found.lost, key).toHaveLength(1);
  }
  expect(readPersonLine('{"email":"a@example.com","claims":{"a":"\\ud800"}}')).toMatchObject({
    lost: ['claims.a contains half of a surrogate pair'],
  });
});
