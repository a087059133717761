// Every way in which a connection fails that is known, in words: what happened, and what to change.

type Words = { found: string; change: string };

const NETWORK = {
  dns: {
    found: 'The name {host} is not known.',
    change: 'Check the spelling of the address, and which DNS server the machine of this service asks.',
  },
  refused: {
    found: 'Nothing listens at {host}, port {port}.',
    change: 'Check the port, whether the other service runs, and whether a firewall lets this one in.',
  },
  'no-route': {
    found: 'There is no way to {host}, port {port}.',
    change: 'Check the network, its routes and its firewall, from the machine of this service.',
  },
  closed: {
    found: '{host}, port {port} closed the connection without an answer.',
    change: 'Check the port, and whether TLS is expected there. A proxy in between may close it, too.',
  },
  timeout: {
    found: 'No whole answer came within {seconds, plural, one {# second} other {# seconds}}.',
    change:
      'Check the port and the firewall, which may drop what it does not let through. If the other service is slow, make it faster.',
  },
  'tls-expired': {
    found: 'The TLS certificate of {host} has expired, or is not valid yet.',
    change: 'Renew the certificate there. If it is valid, set the clock of the machine of this service.',
  },
  'tls-name': {
    found: 'The TLS certificate is for another name than {host}.',
    change: 'Use the name that the certificate has, or get a certificate for this one.',
  },
  'tls-untrusted': {
    found: 'The TLS certificate of {host} is signed by no authority that this service trusts.',
    change:
      'Use a certificate of a public authority, and send the ones between, too. For an authority of your own, start this service with NODE_EXTRA_CA_CERTS, which names a file with its certificate.',
  },
  'tls-none': {
    found: 'What answers at {host}, port {port} does not speak TLS.',
    change: 'Use the port with TLS.',
  },
  'tls-failed': {
    found: 'No encrypted connection to {host} came about.',
    change: 'Check that the other service has TLS 1.2 or 1.3, and does not ask for a certificate of ours.',
  },
  failed: {
    found: 'The connection to {host}, port {port} failed.',
    change: 'Look into the logs of the other service, and of what lies between the two.',
  },
} as const satisfies Record<string, Words>;

const CALLS = {
  'private-address': {
    found: '{host} is not a public address, and was not called.',
    change:
      'If the other service is in your own network, allow private addresses: in the settings of the sign-in method, or with AUDIT_WEBHOOK_PRIVATE_NETWORK=true for the webhook.',
  },
  insecure: {
    found: 'The address is not https, and was not called.',
    change:
      'Use https. In your own network, http is allowed with private addresses: in the settings of the sign-in method, or with AUDIT_WEBHOOK_PRIVATE_NETWORK=true for the webhook.',
  },
  redirect: {
    found: 'It redirects to {location}, and no redirect is followed.',
    change: 'Use the address that it redirects to, if it is the right one.',
  },
  'too-large': {
    found: 'The answer is larger than 64 KiB, and was not read to its end.',
    change: 'Check the address: a page or a file may be there.',
  },
  'bad-answer': {
    found: 'The answer cannot be read: it is no HTTP, or packed in a wrong way.',
    change: 'Check the port, and what a proxy in between makes of the answer.',
  },
} as const satisfies Record<string, Words>;

const DIRECTORY = {
  'directory-untrusted': {
    found: NETWORK['tls-untrusted'].found,
    change: 'Put the certificate of its authority into the certificates that are trusted (ca), in PEM.',
  },
  'directory-bad-answer': {
    found: 'What answers at {host}, port {port} does not speak LDAP.',
    change: 'Check the port: usually 636 for ldaps://, and 389 for ldap://.',
  },
} as const satisfies Record<string, Words>;

const MAIL = {
  'mail-greeting': {
    found: 'What answers there does not take part in SMTP, or turns us away.',
    change: 'Check host and port in SMTP_URL: 587 with smtp://, 465 with smtps://.',
  },
  'mail-silent': {
    found: 'The server said nothing within {seconds, plural, one {# second} other {# seconds}}.',
    change:
      'Check host, port and firewall. A port that begins with TLS, such as 465, needs smtps:// in SMTP_URL.',
  },
  'mail-tls': {
    found: 'The server does not speak TLS as SMTP_URL asks for it.',
    change: 'Use smtp:// for a port that begins without TLS, such as 587, and smtps:// for 465.',
  },
  'mail-login': {
    found: 'The server refuses the user or the password.',
    change:
      'Check both in SMTP_URL. Signs such as @, : and / in them are percent-encoded: %40, %3A, %2F. Some providers want a password made for applications.',
  },
  'mail-no-login': {
    found: 'The server does not let anyone log in here.',
    change: 'Use the port for sending with TLS (smtps://, 465), or leave user and password out of SMTP_URL.',
  },
  'mail-needs-tls': {
    found: 'The server takes mail only by an encrypted connection.',
    change: 'Use smtps:// with port 465, or smtp:// with port 587 and without ignoreTLS, in SMTP_URL.',
  },
  'mail-needs-login': {
    found: 'The server takes mail only from those who log in.',
    change: 'Put user and password into SMTP_URL: smtps://user:password@host.',
  },
  'mail-sender': {
    found: 'The server does not take mail from this sender.',
    change: 'Put an address that this account may send as into SMTP_URL: ?from=login@example.com.',
  },
  'mail-recipient': {
    found: 'The server does not take mail for this address.',
    change:
      'Check your address. If the server sends on only for those who log in, put user and password into SMTP_URL.',
  },
  'mail-message': {
    found: 'The server refused the message itself.',
    change: 'Read its answer. Often the domain of the sender lacks SPF or DKIM, or a limit is reached.',
  },
} as const satisfies Record<string, Words>;

export const FAILURES = { ...NETWORK, ...CALLS, ...DIRECTORY, ...MAIL };
export type Failure = keyof typeof FAILURES;
export type NetworkFailure = keyof typeof NETWORK;

const BY_CODE: readonly [codes: RegExp, failure: NetworkFailure][] = [
  [/^(ENOTFOUND|EAI_\w+|EDNS)$/, 'dns'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)$/, 'no-route'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNECTION)$/, 'closed'],
  [/^(ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'timeout'],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, 'tls-expired'],
  [/^ERR_TLS_CERT_ALTNAME/, 'tls-name'],
  [/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_(UNTRUSTED|SIGNATURE|REVOKED))/, 'tls-untrusted'],
  [/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/, 'tls-none'],
  [/^(ERR_(SSL|TLS)|CERT_|EPROTO$|ETLS$)/, 'tls-failed'],
];

/** By the code that the system, TLS or a library gave an error. */
export const networkFailure = (...codes: string[]): NetworkFailure => {
  for (const code of codes) {
    const found = BY_CODE.find(([pattern]) => pattern.test(code));
    if (found) return found[1];
  }
  return 'failed';
};
