// Addresses that contain a password. The start rejects values that a driver would misread or reject at the first
// connection. The error is one line, which names the setting and never contains the value.
import { describe, expect, test } from 'vitest';
import { parseSettings } from './settings.ts';

const secret = Buffer.alloc(32, 7).toString('base64url');
const least = { DATABASE_URL: 'postgres://u:p@db.example:5432/g', GATEHOUSE_SECRET: secret };
const lineOf = (env: Record<string, string>): string => {
  try {
    parseSettings({ ...least, ...env });
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
};

const PASSWORD = 'percent-encode the password (/ is %2F, # is %23, ? is %3F, @ is %40, % is %25)';

describe('RFC 3986 §3.2.1: a database password with a reserved character must be percent-encoded', () => {
  const aws = 'BEV0cShE/VzqX75/+1FsG';
  test.each([
    aws,
    'pass#word',
    'pass?word',
    'pass%word',
    '100%',
    'p@ss',
    '1?x',
    '12/34',
    '/',
    '#',
    '/#?',
    '%zz',
    '5?x&y',
  ])('the database password %s is rejected', (password) => {
    expect(lineOf({ SMTP_URL: `smtps://AKIA:${password}@email.example:465` })).toBe(`SMTP_URL ${PASSWORD}`);
    for (const name of ['DATABASE_URL', 'DIRECT_URL'])
      expect(lineOf({ [name]: `postgres://u:${password}@db.example:5432/g` })).toBe(`${name} ${PASSWORD}`);
  });
  test.each([
    encodeURIComponent(aws),
    '%2F%2B%23%25%40',
    'a+b=c&d;e',
    'a:b',
    'ü%C3%BC'.slice(1),
    '!$()*~_-.',
  ])('the database password %s is accepted', (password) => {
    expect(lineOf({ SMTP_URL: `smtps://AKIA:${password}@email.example:465` })).toBe('taken');
    expect(lineOf({ DATABASE_URL: `postgres://u:${password}@db.example:5432/g` })).toBe('taken');
  });
});

const databases: [value: string, reason: string][] = [
  ['postgres://u:hunter2@a:5432,b:5432/g', 'contains several hosts'],
  ['postgres://u:hunter2@a,b/g?target_session_attrs=read-write', 'contains several hosts'],
  ['postgres://u:hunter2@/g?host=a,b', 'contains several hosts'],
  ['postgres://u:hunter2@[::1],[::2]/g', 'contains several hosts'],
  ['postgres://a,b/g', 'contains several hosts'],
  ['mysql://u:hunter2@db/g', 'must start with postgres:// or postgresql://'],
  ['postgres:/u:hunter2@db/g', 'must start with postgres:// or postgresql://'],
  ['Postgres://u:hunter2@db/g', 'must start with postgres:// or postgresql://'],
  ['postgres://u:hunter2@db:5432', 'contains no database name'],
  ['postgres://u:hunter2@db:5432/', 'contains no database name'],
  ['postgres://u:hunter2@db?sslmode=disable', 'contains no database name'],
  ['postgres://u:hunter2@db:0/g', 'has a port that is not a number from 1 to 65535'],
  ['postgres://u:hunter2@db:70000/g', 'has a port that is not a number from 1 to 65535'],
  ['postgres://u:hunter2@db:http/g', 'has a port that is not a number from 1 to 65535'],
  ['postgres://u:hunter2@db/g?port=x', 'has a port that is not a number from 1 to 65535'],
  ['postgres://u:hunter2@d b/g', 'contains a space'],
  ['postgres://u:hunter 2@db/g', 'contains a space'],
  ['postgres://u:hunter2%FF@db/g', 'has percent-encoded bytes that are not UTF-8'],
  ['postgres://u:hunter2@[::1/g', 'must be an address'],
  ['postgres://u:hunter2@db/g?sslmode=verify_full', 'has a value of sslmode other than'],
  ['postgres://u:hunter2@db/g?sslmode=', 'has a value of sslmode other than'],
  ['postgres://u:hunter2@db/g?ssl=yes', 'has a value of ssl other than'],
  [
    'postgres://u:hunter2@db/g?sslmode=verify-full&channel_binding=yes',
    'has a value of channel_binding other than',
  ],
  [
    'postgres://u:hunter2@db/g?channel_binding=require',
    'has channel_binding=require without sslmode=verify-full',
  ],
  [
    'postgres://u:hunter2@db/g?sslmode=no-verify&channel_binding=require',
    'has channel_binding=require without',
  ],
  ['postgres://u:hunter2@db/g?sslmode=require&uselibpqcompat=true', 'has uselibpqcompat'],
  [
    'postgres://u:hunter2@db/g?sslmode=verify-full&sslrootcert=/nowhere.crt',
    'has a file in sslrootcert that does not',
  ],
  ['postgres://u:hunter2@db/g?sslmode=verify-full&sslrootcert=system', 'has sslrootcert=system'],
  ['postgres://u:hunter2@db/g?sslrootcert=/etc/hostname', 'has a certificate but no sslmode'],
];
describe.each(['DATABASE_URL', 'DIRECT_URL'])('the setting %s', (name) => {
  test.each(databases)('the database URL %s is rejected', (value, reason) => {
    const line = lineOf({ [name]: value });
    expect(line.startsWith(`${name} ${reason}`), line).toBe(true);
    expect(line).not.toContain('hunter2');
    expect(line.includes('docs/operate/database.md'), 'points to the page').toBe(reason.includes('several'));
  });
  test.each([
    'postgres://db.example/g',
    'postgres:///g',
    'postgres:///g?host=/var/run/postgresql',
    'postgres://u:p@/g?host=/var/run/postgresql',
    'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/g',
    'postgresql://u:p@[::1]:5432/g?sslmode=verify-full&channel_binding=require',
    'postgresql://u:p@db/g?sslmode=require&sslrootcert=/etc/hostname',
    'postgresql://u:p@db/g?application_name=x@y&options=-c%20a%3Db',
  ])('the database URL %s is accepted', (value) => {
    expect(lineOf({ [name]: value })).toBe('taken');
  });
});

test.each([
  ['smtp://', 'must be an address'],
  ['smtp://u:hunter2@', 'must be an address'],
  ['smtp://u:hunter2@mail:smtp', 'has a port that is not a number from 1 to 65535'],
  ['smtp://a,b', 'contains several hosts'],
  ['smtp://u:hunter2@mail/inbox', 'has a path'],
  ['smtp://u:hunter 2@mail', 'contains a space'],
  ['smtp://u:hunter2@mail\n', 'ends in a line break'],
])('the SMTP_URL %j is rejected', (value, reason) => {
  const line = lineOf({ SMTP_URL: value });
  expect(line.startsWith(`SMTP_URL ${reason}`), line).toBe(true);
  expect(line).not.toContain('hunter2');
});
test.each([
  'smtp://mail.example?from=login@example.com',
  'smtps://u:p@mail:465/?from=a%40b.example',
  'smtp://[::1]:25',
])('the SMTP_URL %s is accepted', (value) => expect(lineOf({ SMTP_URL: value })).toBe('taken'));
