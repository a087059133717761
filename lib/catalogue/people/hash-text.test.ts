import { expect, it } from 'vitest';
import { readHash } from './person-line.ts';

const CRYPT = 'a'.repeat(53);
const SALT = 'c2FsdHNhbHQ';
const KEY = 'a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5';
const found = (text: string) => {
  const read = readHash(text);
  return read.form === 'refused'
    ? read.because
    : [read.form, read.kind, read.hash === text ? 'as it is' : read.hash];
};

it.each([
  [`$2a$10$${CRYPT}`, 'bcrypt'],
  [`$2b$14$${CRYPT}`, 'bcrypt'],
  [`$2y$04$${CRYPT}`, 'bcrypt'],
  [`$bcrypt-sha256hex$2a$10$${CRYPT}`, 'bcrypt-sha256hex'],
  [`$wp$2y$10$${CRYPT}`, 'wordpress'],
  [`$argon2id$v=19$m=7168,t=5,p=1$${SALT}$${KEY}`, 'argon2'],
  [`$argon2i$v=19$m=65536,t=3,p=4$${SALT}$${KEY}`, 'argon2'],
  [`$pbkdf2-sha256$i=27500$${SALT}$${KEY}`, 'pbkdf2'],
  [`$pbkdf2-sha512$i=210000$${SALT}$${KEY}`, 'pbkdf2'],
  [`$scrypt$ln=14,r=8,p=1$${SALT}$${KEY}`, 'scrypt'],
  [`$firescrypt$ln=14,r=8,p=1$${SALT}$${KEY}$Bw$${KEY}`, 'firescrypt'],
])('the password hash %s is stored unchanged', (text, kind) => {
  expect(found(text)).toEqual(['kept', kind, 'as it is']);
});

it.each([
  ['{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9gAAAAAAAAA', 'ldap'],
  ['$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/', 'md5-crypt'],
  [`$5$rounds=10000$saltsalt$${'a'.repeat(43)}`, 'sha-crypt'],
  [`$6$saltsalt$${'a'.repeat(86)}`, 'sha-crypt'],
  [`$6$rounds=100000$saltsalt$${'a'.repeat(86)}`, 'sha-crypt'],
  [`$S$E${'a'.repeat(51)}`, 'drupal'],
  ['$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'phpass'],
  [`$S$D${'a'.repeat(51)}`, 'drupal'],
])('the password hash %s is recognized as fast', (text, kind) => {
  expect(found(text)).toEqual(['fast', kind, 'as it is']);
});

it.each([
  [
    `$pbkdf2-sha256$29000$c2FsdHNhbHQ$a2V5a2V5a2V5.2V5a2V5`,
    `$pbkdf2-sha256$i=29000$c2FsdHNhbHQ$a2V5a2V5a2V5+2V5a2V5`,
  ],
  [
    'pbkdf2_sha256$600000$saltsalt$a2V5a2V5a2V5a2V5a2V5aw==',
    `$pbkdf2-sha256$i=600000$${btoa('saltsalt').replace(/=+$/, '')}$a2V5a2V5a2V5a2V5a2V5aw`,
  ],
  [`$scrypt$ln=16384,r=8,p=1$c2FsdHNhbHQ=$${KEY}`, `$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ$${KEY}`],
  [
    '$argon2id$v=19$m=7168,t=5,p=1$c2FsdHNhbHQ=$a2V5a2V5a2V5a2V5a2V5aw==',
    '$argon2id$v=19$m=7168,t=5,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5aw',
  ],
  [`{CRYPT}$2y$10$${CRYPT}`, `$2y$10$${CRYPT}`],
  [
    Buffer.concat([
      Buffer.from([1, 0, 0, 0, 1, 0, 0, 0x27, 0x10, 0, 0, 0, 16]),
      Buffer.alloc(48, 1),
    ]).toString('base64'),
    `$pbkdf2-sha256$i=10000$AQEBAQEBAQEBAQEBAQEBAQ$${'AQEB'.repeat(10)}AQE`,
  ],
  [
    Buffer.concat([Buffer.from([0]), Buffer.alloc(48, 1)]).toString('base64'),
    `$pbkdf2-sha1$i=1000$AQEBAQEBAQEBAQEBAQEBAQ$${'AQEB'.repeat(10)}AQE`,
  ],
])('the password hash %s is converted to Gatehouse’s form', (text, ours) => {
  expect(readHash(text)).toMatchObject({ form: 'kept', hash: ours });
});

it.each([
  [`$2x$10$${CRYPT}`, 'bcrypt of the kind 2x was made by a faulty program, and cannot be checked'],
  [`$2b$31$${CRYPT}`, 'bcrypt of cost 31 is too dear: at most 14'],
  [`$2b$03$${CRYPT}`, 'there is no bcrypt of cost 3'],
  [`$pbkdf2-sha256$i=2000001$${SALT}$${KEY}`, '2000001 rounds are too dear: at most 2000000'],
  [`$argon2id$v=19$m=262145,t=1,p=1$${SALT}$${KEY}`, '257 MiB of memory are too dear: at most 256'],
  [`$argon2id$v=19$m=65536,t=1000,p=1$${SALT}$${KEY}`, '1000 passes over its memory are too dear'],
  [`$scrypt$ln=19,r=8,p=1$${SALT}$${KEY}`, '512 MiB of memory are too dear: at most 256'],
  [`$6$rounds=999999999$saltsalt$${'a'.repeat(86)}`, '999999999 rounds are too dear: at most 100000'],
  [`$5$rounds=100001$saltsalt$${'a'.repeat(43)}`, '100001 rounds are too dear: at most 100000'],
  [`$P$F${'a'.repeat(30)}`, '131072 rounds are too dear: at most 100000'],
  [`$pbkdf2-sha256$i=27500$${SALT}$`, 'no kind of hash that is known here, or not a whole one'],
  ['', 'no kind of hash that is known here, or not a whole one'],
  ['$y$j9T$abc$def', 'yescrypt is not known here'],
  ['{MD4}abc', 'its scheme is not known here'],
])('the password hash %s cannot be imported', (text, because) => {
  expect(found(text)).toBe(because);
});
