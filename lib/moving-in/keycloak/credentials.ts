// What a person of Keycloak signs in with: the newest password as a hash, and an authenticator app.
import type { PersonLine } from '../people/index.ts';
import type { Part } from '../reading/index.ts';
import { passwordOf } from '../writing/index.ts';

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

function readPassword(credential: Part, made: Credentials): void {
  credential.leaveOutAll(
    ABOUT.filter((key) => key !== 'temporary'),
    'of Keycloak alone',
  );
  credential.flag('temporary');
  const [data, secret] = [credential.json('credentialData'), credential.json('secretData')];
  const algorithm = data.text('algorithm') ?? 'pbkdf2-sha256';
  const [key, salt] = [secret.text('value'), secret.text('salt') ?? ''];
  secret.leaveOut('additionalParameters', 'of Keycloak alone');
  const hash = key === undefined ? undefined : hashOf(data, algorithm, salt, key);
  const password = passwordOf(credential, 'secretData', hash);
  if (password) made.password = password;
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
  credential.leaveOutAll(ABOUT, 'of Keycloak alone');
  const [data, secret] = [credential.json('credentialData'), credential.json('secretData')];
  const text = secret.text('value') ?? '';
  const isUsual =
    (data.text('subType') ?? 'totp') === 'totp' &&
    (data.number('digits') ?? 6) === 6 &&
    (data.number('period') ?? 30) === 30 &&
    (data.text('algorithm') ?? 'HmacSHA1') === 'HmacSHA1';
  data.leaveOut('counter', 'of HOTP alone');
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
