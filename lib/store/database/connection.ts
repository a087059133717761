// How every connection to PostgreSQL is made from its address, and what to change where it is refused
// (docs/settings.md).

/** For `pg`: never less checked than its `sslmode` says, in every version of the driver. */
export function connectTo(url: string): { connectionString: string; enableChannelBinding: boolean } {
  const [address = '', query = ''] = url.split(/\?(.*)/s);
  // the driver checks chain and host name for each of these, and announces that it will not for some of them
  const checked = query.replace(/(^|&)sslmode=(?:prefer|require|verify-ca)(?=&|$)/g, '$1sslmode=verify-full');
  return {
    connectionString: query === '' ? address : `${address}?${checked}`,
    enableChannelBinding: /(^|&)channel_binding=(?:prefer|require)(&|$)/.test(query),
  };
}

/** Codes of OpenSSL and Node.js for a certificate that was not accepted. */
const CERTIFICATE_CODES =
  /^(UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_[A-Z_]+|INVALID_CA|ERR_TLS_[A-Z_]+)$/;
export const isTlsRefusal = (code: string): boolean => CERTIFICATE_CODES.test(code);

/** The driver's words for a refused TLS connection, in an error of Prisma; null for other errors. */
export const tlsReason = (message: string): string | null =>
  /Error opening a TLS connection: ([^`\n]*)/.exec(message)?.[1] ?? null;

/** What to change about a refused connection, to follow the driver's own words; '' where nothing is known. */
export function connectionHint(message: string, codes: readonly string[]): string {
  const has = (code: RegExp, words: RegExp) => codes.some((one) => code.test(one)) || words.test(message);
  if (has(/^ERR_TLS_CERT_ALTNAME_INVALID$/, /^Hostname\/IP does not match/))
    return '. Name the host that the certificate names; sslmode=verify-ca and require ask for that too';
  if (has(/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, /^certificate (has expired|is not yet valid)/)) return '';
  if (has(CERTIFICATE_CODES, /^(unable to (verify|get)|self-signed certificate)/))
    return ". Name the certificate authority of the database's provider: sslmode=verify-full&sslrootcert=/path/ca.crt, or NODE_EXTRA_CA_CERTS";
  if (message.startsWith('The server does not support SSL'))
    return '. Switch ssl on there, or leave sslmode out of the address';
  return isPoolerRefusal(message, codes) ? `: ${POOLER}` : '';
}

const POOLER =
  'a connection pooler is there; name the database past it in DIRECT_URL, see docs/high-availability.md';

/** PgBouncer, RDS Proxy */
const isPoolerRefusal = (message: string, codes: readonly string[]) =>
  /^unsupported startup parameter/i.test(message) || (codes.includes('0A000') && /proxy/i.test(message));

/**
 * `taken`: what the server says of the parameters that a connection was begun with. Null where it has taken all of
 * them.
 */
export function ignoredParameter(taken: Readonly<Record<string, string>>): string | null {
  const lost = Object.entries(STARTUP_PARAMETERS).find(([name, value]) => taken[name] !== value);
  return lost === undefined
    ? null
    : `the parameter ${lost[0]} is not taken at the start of a connection: ${POOLER}`;
}

/** One of each kind that our connections send where nothing pools them. */
export const STARTUP_PARAMETERS = { statement_timeout: '5s', plan_cache_mode: 'force_generic_plan' } as const;
