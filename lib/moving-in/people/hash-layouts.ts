// Other texts of a hash, each brought into the one form of hash-text.ts. Null: it is not written in that way.

type Layout = (text: string) => string | null;

const bare = (base64: string) =>
  base64
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
const encoded = (bytes: Uint8Array) => bare(Buffer.from(bytes).toString('base64'));

/** `{CRYPT}$6$…`, as a directory has it, is what crypt(3) made. */
const inBraces: Layout = (text) => /^\{(?:CRYPT|ARGON2|BCRYPT)\}(\$.+)$/i.exec(text)?.[1] ?? null;

/** Django names the kind before a hash that names itself; it hashes the hexadecimal SHA-256 as Meteor does. */
const namedTwice: Layout = (text) => {
  const [, name, hash] = /^(bcrypt|bcrypt_sha256|argon2)\$(\$2.+|argon2.+)$/.exec(text) ?? [];
  if (hash === undefined) return null;
  return { bcrypt: hash, bcrypt_sha256: `$bcrypt-sha256hex${hash}`, argon2: `$${hash}` }[name ?? ''] ?? null;
};

/** Keycloak pads its base64, PHC does not. */
const padded: Layout = (text) =>
  /^\$(?:argon2|pbkdf2-sha\d+\$i=|scrypt|firescrypt)[^\s]*=(?:\$|$)/.test(text)
    ? text.replaceAll(/={1,2}(?=\$|$)/g, '')
    : null;

/** Kratos writes N itself as `ln`, PHC its logarithm: up to 30 it is a logarithm. */
const scryptOfKratos: Layout = (text) => {
  const match = /^\$scrypt\$ln=(\d{1,10}),(.+)$/.exec(text);
  const n = Number(match?.[1]);
  const logarithm = Math.log2(n);
  return n > 30 && Number.isInteger(logarithm) ? `$scrypt$ln=${logarithm},${bare(match?.[2] ?? '')}` : null;
};

/** `$pbkdf2-sha256$29000$salt$key`, with `.` for `+`; SHA-1 is not named. */
const passlib: Layout = (text) => {
  const match = /^\$pbkdf2(?:-sha(256|512))?\$(\d{1,10})\$([A-Za-z0-9./]+)\$([A-Za-z0-9./]+)$/.exec(text);
  if (!match) return null;
  const [, bits = '1', rounds, salt = '', key = ''] = match;
  return `$pbkdf2-sha${bits}$i=${rounds}$${salt.replaceAll('.', '+')}$${key.replaceAll('.', '+')}`;
};

/** `$pbkdf2-sha256$i=25000,l=32$salt$key`, as Hydra and Kratos write it, with the length of the key. */
const pbkdf2OfOry: Layout = (text) => {
  const [, before, length, rest] = /^(\$pbkdf2-sha\d+\$i=\d+),l=(\d{1,4})(\$.+)$/.exec(text) ?? [];
  if (before === undefined || rest === undefined) return null;
  const key = Buffer.from(rest.slice(rest.lastIndexOf('$') + 1), 'base64');
  return key.length === Number(length) ? before + rest : null;
};

/** `pbkdf2_sha256$600000$salt$key`: the salt is text. */
const django: Layout = (text) => {
  const match = /^pbkdf2_sha(1|256|512)\$(\d{1,10})\$([^$]+)\$([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (!match) return null;
  const [, bits, rounds, salt = '', key = ''] = match;
  return `$pbkdf2-sha${bits}$i=${rounds}$${encoded(Buffer.from(salt, 'utf8'))}$${bare(key)}`;
};

/** `scrypt$salt$16384$8$1$key`: the salt is text. */
const scryptOfDjango: Layout = (text) => {
  const match = /^scrypt\$([^$]+)\$(\d{1,10})\$(\d{1,4})\$(\d{1,4})\$([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (!match) return null;
  const [, salt, n, r, p, key = ''] = match;
  return `$scrypt$ln=${Math.log2(Number(n))},r=${r},p=${p}$${encoded(Buffer.from(salt ?? '', 'utf8'))}$${bare(key)}`;
};

/** `{PBKDF2-SHA256}29000$salt$key`, as passlib writes it for OpenLDAP; SHA-1 is not named. */
const pbkdf2OfLdap: Layout = (text) => {
  const [, bits, rest] = /^\{PBKDF2(-SHA(?:256|512))?(?:-SHA1)?\}(\d.+)$/i.exec(text) ?? [];
  return rest === undefined ? null : `$pbkdf2${(bits ?? '').toLowerCase()}$${rest}`;
};

/** The command line of Firebase writes the alphabet of addresses. */
const firescrypt: Layout = (text) =>
  /^\$firescrypt\$.*[-_]/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : null;

const PRF = ['1', '256', '512'];

/** ASP.NET Core Identity: version 3 says how it was made, version 2 is always the same. */
const aspNet: Layout = (text) => {
  if (!/^A[A-Za-z0-9+/]{60,}={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  if (bytes[0] === 0 && bytes.length === 49)
    return `$pbkdf2-sha1$i=1000$${encoded(bytes.subarray(1, 17))}$${encoded(bytes.subarray(17))}`;
  if (bytes[0] !== 1 || bytes.length < 13) return null;
  const [prf, rounds, length] = [1, 5, 9].map((at) => bytes.readUInt32BE(at)) as [number, number, number];
  const bits = PRF[prf];
  if (bits === undefined || bytes.length < 13 + length + 16) return null;
  const salt = bytes.subarray(13, 13 + length);
  return `$pbkdf2-sha${bits}$i=${rounds}$${encoded(salt)}$${encoded(bytes.subarray(13 + length))}`;
};

export const LAYOUTS: readonly Layout[] = [
  inBraces,
  namedTwice,
  padded,
  firescrypt,
  scryptOfKratos,
  scryptOfDjango,
  pbkdf2OfLdap,
  pbkdf2OfOry,
  passlib,
  django,
  aspNet,
];
