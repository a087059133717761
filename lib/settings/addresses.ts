// DATABASE_URL, DIRECT_URL and SMTP_URL: addresses with a password in them (RFC 3986 §3.2.1). What the drivers would
// only refuse at the first connection, or read as something else, is refused at the start. No message repeats a part of
// the value.
import { existsSync } from 'node:fs';
import { z } from 'zod';

const PASSWORD = 'percent-encode the password (/ is %2F, # is %23, ? is %3F, @ is %40, % is %25)';
const DATABASE = 'such as postgresql://user:password@host:5432/name';
const MAIL = 'such as smtps://user:password@host:465';
const SEVERAL = 'names several hosts, which only libpq reads: name one; see docs/high-availability.md';

/**
 * How node-postgres reads `sslmode`, see docs/settings.md; others it would take for no encryption or for another mode.
 */
const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];
/** Files that the driver reads when it connects. */
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** Parameters of a database's address, and what the driver knows of each. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  sslmode: SSL_MODES,
  ssl: ['true', '1', '0', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  channel_binding: ['disable', 'prefer', 'require'],
};

/** Why the database's driver could not connect by this address; null if it could. */
function databaseUrlFault(value: string): string | null {
  if (!/^postgres(ql)?:\/\//.test(value)) return 'must start with postgres:// or postgresql://';
  const encoding = encodingFault(value);
  if (encoding !== null) return encoding;
  const { hosts, path, query } = partsOf(value);
  if (`${hosts},${query.get('host') ?? ''}`.replace(/^,|,$/g, '').includes(',')) return SEVERAL;
  const port = portFault(hosts) ?? portFault(`:${query.get('port') ?? '1'}`);
  if (port !== null) return port;
  // a socket has no host: the driver reads it from `?host=`
  const readable = URL.canParse(value) || URL.canParse(value.replace('@/', '@socket/'));
  if (!readable) return `must be an address ${DATABASE}`;
  if (path === '' || path === '/') return `names no database: ${DATABASE}`;
  return tlsFault(query);
}

function tlsFault(query: URLSearchParams): string | null {
  for (const [name, known] of Object.entries(PARAMETERS)) {
    const given = query.get(name);
    if (given !== null && !known.includes(given))
      return `has a value of ${name} that is none of ${known.join(', ')}`;
  }
  for (const name of SSL_FILES) {
    const file = query.get(name);
    if (file === 'system')
      return `has ${name}=system: leave it out, the certificates of Node.js are the default`;
    if (file !== null && !existsSync(file)) return `names a file in ${name} that is not there`;
  }
  const mode = query.get('sslmode');
  if (mode === null && SSL_FILES.some((name) => query.has(name)))
    return 'names a certificate without an sslmode: add sslmode=verify-full';
  if (query.has('uselibpqcompat')) return 'has uselibpqcompat: say sslmode=verify-full or sslmode=no-verify';
  const verified = mode === null ? query.get('ssl') === 'true' || query.get('ssl') === '1' : isVerified(mode);
  if (query.get('channel_binding') === 'require' && !verified)
    return 'has channel_binding=require without sslmode=verify-full';
  return null;
}

const isVerified = (mode: string) => mode !== 'disable' && mode !== 'no-verify';

/** Why no mail server could be reached by this address; null if one could. */
function smtpUrlFault(value: string): string | null {
  if (!/^smtps?:\/\//.test(value)) return 'must start with smtp:// or smtps://';
  const encoding = encodingFault(value);
  if (encoding !== null) return encoding;
  const { hosts, path } = partsOf(value);
  if (hosts.includes(',')) return 'names several hosts: name one';
  const port = portFault(hosts);
  if (port !== null) return port;
  if (hosts === '' || !URL.canParse(value)) return `must be an address ${MAIL}`;
  return path === '' || path === '/' ? null : `has a path: it is an address ${MAIL}`;
}

type Parts = { userinfo: string; hosts: string; path: string; query: URLSearchParams; rest: string };

function partsOf(value: string): Parts {
  const [, authority = '', path = '', rest = ''] = /^\w+:\/\/([^/?]*)([^?]*)(.*)$/.exec(value) ?? [];
  const at = authority.lastIndexOf('@');
  return {
    userinfo: authority.slice(0, Math.max(0, at)),
    hosts: authority.slice(at + 1),
    path,
    query: new URLSearchParams(rest),
    rest: path + rest,
  };
}

/** A sign in the password that ends the authority, or is read as the beginning of a percent-encoded one. */
function encodingFault(value: string): string | null {
  if (value.includes('#') || /%(?![0-9a-f]{2})/i.test(value)) return PASSWORD;
  const { userinfo, hosts, path, query, rest } = partsOf(value);
  // a raw / or ? has cut the authority, so its @ came later
  const cut = path.includes('@') || [...query.keys()].some((key) => key.includes('@'));
  const half = userinfo === '' && rest.includes('@') && portFault(hosts) !== null;
  if (userinfo.includes('@') || cut || half) return PASSWORD;
  try {
    decodeURIComponent(userinfo + path);
  } catch {
    return 'has percent-encoded bytes that are no UTF-8';
  }
  return null;
}

/** Of each host, where it names one. */
function portFault(hosts: string): string | null {
  const port = /:([^:\]]*)$/.exec(hosts)?.[1] ?? '';
  if (port === '' || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) return null;
  return 'has a port that is no number from 1 to 65535';
}

const addressWithout = (faultOf: (value: string) => string | null) =>
  z.string().superRefine((value, context) => {
    const message = faultOf(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
export const databaseAddress = addressWithout(databaseUrlFault);
export const mailAddress = addressWithout(smtpUrlFault);
