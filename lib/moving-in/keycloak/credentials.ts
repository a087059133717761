// What a person of Keycloak signs in with: the newest password as a hash, and an authenticator app.
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import type { PersonLine } from '../people/person-line.ts';
import type { Part } from '../reading/part.ts';
import { passwordOf } from '../writing/values.ts';

type Credentials = Pick<PersonLine, 'password' | 'totp'>;

const PBKDF2: ReadonlyMap<string, string> = new Map([
  ['pbkdf2', 'sha1'],
  ['pbkdf2-sha256', 'sha256'],
  ['pbkdf2-sha512', 'sha512'],
]);
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['recovery-authn-codes', 'recovery codes are made again: tell the person'],
  ['webauthn', 'a passkey is registered again: tell the person'],
  ['webauthn-passwordless', 'a passkey is registered again: tell the person'],
  ['password-history', 'passwords of before are not kept'],
  ['hotp', 'an app that counts (HOTP) is not known here'],
]);
const ABOUT = [
  'config',
  'id',
  'userLabel',
  'createdDate',
  'priority',
  'temporary',
  'device',
  'digits',
  'counter',
  'period',
];

export function credentialsOf(person: Part): Credentials {
  const made: Credentials = {};
  for (const credential of person.parts('credentials')) {
    const type = credential.text('type') ?? '';
    const other = OTHERS.get(type);
    if (other !== undefined) credential.sayOfAll('left out', other);
    else if (type === 'password' && made.password) credential.sayOfAll('left out', 'a second password');
    else if (type === 'password') readPassword(credential, made);
    else if (type !== 'otp' && type !== 'totp')
      credential.sayOfAll('left out', `${type} is no kind of factor here`);
    else if (made.totp) credential.sayOfAll('left out', 'a second app: one is carried');
    else readTotp(credential, made);
  }
  return made;
}

/** Where a credential has its parts: today `credentialData` and `secretData`, before Keycloak 8 in itself. */
function layoutOf(credential: Part): {
  data: Part;
  secret: Part;
  key: 'secretData' | 'hashedSaltedValue' | 'value';
} {
  if (credential.has('credentialData') || credential.has('secretData'))
    return {
      data: credential.json('credentialData'),
      secret: credential.json('secretData'),
      key: 'secretData',
    };
  const key = credential.has('hashedSaltedValue') ? 'hashedSaltedValue' : 'value';
  return { data: credential, secret: credential, key };
}

function readPassword(credential: Part, made: Credentials): void {
  const { data, secret, key } = layoutOf(credential);
  credential.ignoreAll(
    ABOUT.filter((one) => one !== 'temporary'),
    'of Keycloak alone',
  );
  credential.flag('temporary');
  if (key === 'value' && credential.has('value')) {
    // a file that was written by hand has the password itself
    made.password = { hash: hashClearText(credential.text('value') ?? '') };
    credential.say('changed', 'value', 'a password in clear text: it comes as a hash');
    return;
  }
  const isOld = key === 'hashedSaltedValue';
  // before Keycloak told the algorithm it was PBKDF2 with SHA-1
  const algorithm = data.text('algorithm') ?? (isOld ? 'pbkdf2' : 'pbkdf2-sha256');
  const [value, salt] = [secret.text(isOld ? key : 'value'), secret.text('salt') ?? ''];
  if (!isOld) secret.ignoreAll(['additionalParameters'], 'of Keycloak alone');
  if (value === undefined) {
    credential.sayOfAll('left out', LOST);
    return;
  }
  const password = passwordOf(credential, key, hashOf(data, algorithm, salt, value));
  if (password) made.password = password;
}

const LOST = 'its layout is not known here, so the secret is lost: tell the person';
const CLEAR_TEXT_ROUNDS = 310_000;

function hashClearText(text: string): string {
  const salt = randomBytes(16);
  const key = pbkdf2Sync(text, salt, CLEAR_TEXT_ROUNDS, 32, 'sha256');
  return `$pbkdf2-sha256$i=${CLEAR_TEXT_ROUNDS}$${bare(salt.toString('base64'))}$${bare(key.toString('base64'))}`;
}

function hashOf(data: Part, algorithm: string, salt: string, key: string): string {
  const more = data.part('additionalParameters');
  const parameter = (name: string) => more.part(name).text('0') ?? more.text(name) ?? '';
  const rounds = data.number('hashIterations') ?? 0;
  const digest = PBKDF2.get(algorithm);
  if (digest !== undefined) return `$pbkdf2-${digest}$i=${rounds}$${bare(salt)}$${bare(key)}`;
  if (algorithm.startsWith('argon2')) {
    const version = parameter('version') === '1.0' ? 16 : 19;
    more.leaveOut('hashLength', 'the hash has this length');
    const costs = `m=${parameter('memory')},t=${rounds},p=${parameter('parallelism')}`;
    return `$argon2${parameter('type') || 'id'}$v=${version}$${costs}$${bare(salt)}$${bare(key)}`;
  }
  // an add-on keeps bcrypt as text
  return key.startsWith('$2') ? key : `{${algorithm}}`;
}

const bare = (base64: string) => base64.replace(/={1,2}$/, '');

function readTotp(credential: Part, made: Credentials): void {
  const { data, secret, key } = layoutOf(credential);
  const isOld = data === credential;
  credential.ignoreAll(
    ABOUT.filter((one) => !isOld || !['digits', 'period'].includes(one)),
    'of Keycloak alone',
  );
  const text = secret.text(key === 'secretData' ? 'value' : key) ?? '';
  if (text === '') {
    credential.sayOfAll('left out', LOST);
    return;
  }
  if (isOld) credential.ignoreAll(['hashIterations', 'salt'], 'of Keycloak alone');
  const isUsual =
    (data.text('subType') ?? 'totp') === 'totp' &&
    (data.number('digits') ?? 6) === 6 &&
    (data.number('period') ?? 30) === 30 &&
    (data.text('algorithm') ?? 'HmacSHA1') === 'HmacSHA1';
  data.ignoreAll(['counter'], 'of HOTP alone');
  if (!isUsual) {
    credential.sayOfAll('left out', 'only apps with SHA-1, 6 digits and 30 seconds are known here');
    return;
  }
  const isBase32 = data.text('secretEncoding') === 'BASE32';
  made.totp = {
    secret: isBase32 ? text.replaceAll(/[\s=]/g, '').toUpperCase() : base32(Buffer.from(text, 'utf8')),
  };
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 §6, without padding. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}
