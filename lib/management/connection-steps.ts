// Steps, texts and limits of connection tests.

import { z } from 'zod';
import type { Probe, ProbeAnswer, TakenStep } from '#lib/catalogue/methods/kind.ts';
import { readableLine, type Sentence } from '#lib/kit/text.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { type OutboundPolicy, outboundFetch } from '#lib/outbound/fetch.ts';
import type { EventDetails } from '#lib/registry/audit-event.ts';
import { limitedWork } from './operations.ts';
import type { Actor } from './policy.ts';
import { record } from './record.ts';

// Summarizes a response for administrators: only status, content type and text of the error. A connection test must
// not reveal secrets of other services.

const MOST = 200;

/** JSON members whose values are shown. Of other members, only the names are shown. */
const SHOWN = /^(issuer|error|error_description|message|detail|title|status|jwks_uri|\w+_endpoint)$/;

/**
 * Summarizes a response. `secrets`: they are hidden before the text is truncated, so that no part of a secret
 * remains.
 */
export function answeredWords(
  answer: ProbeAnswer,
  { allowPrivateNetwork }: OutboundPolicy,
  secrets: readonly string[],
): string {
  const { status, headers, location, body, members } = answer;
  const cut = (text: string) => truncateLine(hideSecrets(text, secrets));
  if (location !== null) return cut(`${status} → ${location.split(/[?#]/)[0]}`);
  const kind = (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  const bodyText = members ? membersShown(members) : textShown(body, kind, allowPrivateNetwork);
  const head = [status, kind].filter((part) => part !== '').join(' ');
  return bodyText === '' ? cut(head) : `${cut(head)}: ${cut(bodyText)}`;
}

function membersShown(members: Record<string, unknown>): string {
  const memberTexts = Object.entries(members).map(([name, value]) => {
    const isShown = SHOWN.test(name) && ['string', 'number'].includes(typeof value);
    return `${JSON.stringify(name)}:${isShown ? JSON.stringify(value) : '…'}`;
  });
  return `{${memberTexts.join(',')}}`;
}

/** Shows the title of an HTML page, or the beginning of another text if the service is public. */
function textShown(body: string, kind: string, isPrivate: boolean): string {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1];
  if (title !== undefined) return `<title>${title.trim()}</title>`;
  return isPrivate || kind === 'text/html' ? '' : body;
}

const truncateLine = (text: string): string => {
  const line = readableLine(text.slice(0, 4 * MOST)) ?? '';
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
};

/** Hides secrets that the other service repeats in its response. */
const hideSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ])
    .filter((secret) => secret !== '')
    .reduce((left, secret) => left.replaceAll(secret, '…'), text);

export function objectOf(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Reads the error code (RFC 6749 §5.2) from JSON or, because some providers use it, from a form-encoded body. */
export function oauthErrorOf(body: string): string | null {
  const error = objectOf(body)?.['error'] ?? new URLSearchParams(body.slice(0, 4_096)).get('error');
  return typeof error === 'string' ? error : null;
}

// Known failures of a connection, with description and remedy.

type Words = { found: string; change: string };

const NETWORK = {
  dns: {
    found: 'The name {host} cannot be resolved.',
    change: 'Check the spelling of the address, and the DNS server of the machine that runs this service.',
  },
  refused: {
    found: 'Nothing listens at {host}, port {port}.',
    change:
      'Check the port, whether the other service is running, and whether a firewall blocks this service.',
  },
  'no-route': {
    found: 'There is no route to {host}, port {port}.',
    change: 'Check the network, its routes and its firewall from the machine that runs this service.',
  },
  closed: {
    found: '{host}, port {port}, closed the connection without a response.',
    change: 'Check the port, and whether it expects TLS. A proxy in between can also close the connection.',
  },
  timeout: {
    found: 'No complete response arrived within {seconds, plural, one {# second} other {# seconds}}.',
    change:
      'Check the port and the firewall, which may drop blocked packets silently. If the other service is slow, make it faster.',
  },
  'tls-expired': {
    found: 'The TLS certificate of {host} has expired, or is not valid yet.',
    change: 'Renew the certificate. If it is valid, correct the clock of the machine that runs this service.',
  },
  'tls-name': {
    found: 'The TLS certificate is for a name other than {host}.',
    change: 'Use the name in the certificate, or get a certificate for this name.',
  },
  'tls-untrusted': {
    found: 'The TLS certificate of {host} is not signed by an authority that this service trusts.',
    change:
      'Use a certificate from a public authority, and send the intermediate certificates as well. For your own authority, start this service with NODE_EXTRA_CA_CERTS set to a file with its certificate.',
  },
  'tls-none': {
    found: 'The server at {host}, port {port}, does not speak TLS.',
    change: 'Use the TLS port.',
  },
  'tls-failed': {
    found: 'No encrypted connection to {host} could be established.',
    change: 'Check that the other service supports TLS 1.2 or 1.3 and does not require a client certificate.',
  },
  failed: {
    found: 'The connection to {host}, port {port}, failed.',
    change: 'Check the logs of the other service, and of any system between the two.',
  },
} as const satisfies Record<string, Words>;

const CALLS = {
  'private-address': {
    found: '{host} is not a public address, and was not called.',
    change:
      'If the other service is in your own network, allow private addresses: in the settings of the sign-in method, or with AUDIT_WEBHOOK_PRIVATE_NETWORK=true for the webhook.',
  },
  insecure: {
    found: 'The address does not use https, and was not called.',
    change:
      'Use https. In your own network, http is allowed with private addresses: in the settings of the sign-in method, or with AUDIT_WEBHOOK_PRIVATE_NETWORK=true for the webhook.',
  },
  redirect: {
    found: 'The service redirects to {location}, and redirects are not followed.',
    change: 'Use the redirect target, if it is the right address.',
  },
  'too-large': {
    found: 'The response is larger than 64 KiB and was not read to its end.',
    change: 'Check the address: it may lead to a page or a file.',
  },
  'bad-answer': {
    found: 'The response cannot be read: it is not HTTP, or it is encoded incorrectly.',
    change: 'Check the port, and whether a proxy in between changes the response.',
  },
} as const satisfies Record<string, Words>;

const DIRECTORY = {
  'directory-untrusted': {
    found: NETWORK['tls-untrusted'].found,
    change: 'Add the certificate of the server’s authority, in PEM, to the trusted certificates (ca).',
  },
  'directory-bad-answer': {
    found: 'The server at {host}, port {port}, does not speak LDAP.',
    change: 'Check the port: usually 636 for ldaps://, and 389 for ldap://.',
  },
} as const satisfies Record<string, Words>;

const MAIL = {
  'mail-greeting': {
    found: 'The server does not speak SMTP, or rejects the connection.',
    change: 'Check host and port in SMTP_URL: 587 with smtp://, 465 with smtps://.',
  },
  'mail-silent': {
    found: 'The server did not respond within {seconds, plural, one {# second} other {# seconds}}.',
    change:
      'Check the host, port and firewall. A port that starts with TLS, such as 465, requires smtps:// in SMTP_URL.',
  },
  'mail-tls': {
    found: 'The server does not support TLS in the way that SMTP_URL requires.',
    change: 'Use smtp:// for a port that starts without TLS, such as 587, and smtps:// for 465.',
  },
  'mail-login': {
    found: 'The server rejects the username or the password.',
    change:
      'Check the username and password in SMTP_URL. Characters such as @, : and / must be percent-encoded: %40, %3A, %2F. Some providers require a separate password for applications.',
  },
  'mail-no-login': {
    found: 'The server does not accept logins on this connection.',
    change: 'Use the TLS submission port (smtps://, 465), or remove the username and password from SMTP_URL.',
  },
  'mail-needs-tls': {
    found: 'The server accepts mail only over an encrypted connection.',
    change: 'In SMTP_URL, use smtps:// with port 465, or smtp:// with port 587 and without ignoreTLS.',
  },
  'mail-needs-login': {
    found: 'The server accepts mail only after login.',
    change: 'Add the username and password to SMTP_URL: smtps://user:password@host.',
  },
  'mail-sender': {
    found: 'The server does not accept mail from this sender.',
    change: 'Add a sender address to SMTP_URL that this account is allowed to use: ?from=login@example.com.',
  },
  'mail-recipient': {
    found: 'The server does not accept mail for this address.',
    change:
      'Check your address. If the server relays mail only after login, add the username and password to SMTP_URL.',
  },
  'mail-message': {
    found: 'The server rejected the message itself.',
    change:
      'Read the response of the server. Common causes: the sender’s domain has no SPF or DKIM record, or a limit is reached.',
  },
} as const satisfies Record<string, Words>;

export const FAILURES = { ...NETWORK, ...CALLS, ...DIRECTORY, ...MAIL };
export type Failure = keyof typeof FAILURES;
type NetworkFailure = keyof typeof NETWORK;

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

/** Maps error codes of the system, TLS or libraries to a failure. */
export const networkFailure = (...codes: string[]): NetworkFailure => {
  for (const code of codes) {
    const codeEntry = BY_CODE.find(([pattern]) => pattern.test(code));
    if (codeEntry) return codeEntry[1];
  }
  return 'failed';
};

// Runs the probes of a connection test one after the other. Each response decides which request is next.

const MOST_MS = 20_000;
const USUAL_MS = 5_000;

type WalkWith = {
  policy: OutboundPolicy;
  /** values that no step may show */
  secrets?: readonly string[];
};

/** Returns a step for every probe, even for probes after the time limit has passed. */
export async function walkProbes(probes: readonly Probe[], as: WalkWith): Promise<TestStep[]> {
  const began = performance.now();
  const steps: TestStep[] = [];
  const due = [...probes];
  for (let probe = due.shift(); probe; probe = due.shift()) {
    if (performance.now() - began > MOST_MS) {
      steps.push(notAsked(probe));
      continue;
    }
    const { step, further, next } = await ask(probe, as);
    steps.push(step, ...further);
    due.unshift(...next);
  }
  return steps;
}

const nothing = { sent: null, answered: null, tookMs: null, change: null };

const notAsked = ({ check }: Probe): TestStep => ({
  ...nothing,
  check,
  state: 'skipped',
  found: { text: 'Skipped: the previous steps took too long.' },
});

type Asked = { step: TestStep; further: TestStep[]; next: readonly Probe[] };

async function ask(probe: Probe, { policy, secrets = [] }: WalkWith): Promise<Asked> {
  const { check, address, send, redirects = false } = probe;
  const began = performance.now();
  const step = { ...nothing, check, sent: sentWords(probe) };
  const took = () => Math.round(performance.now() - began);
  try {
    const answer = await answerOf(probe, policy, redirects);
    const tookMs = took();
    const answered = answeredWords(answer, policy, secrets);
    if (answer.status >= 500)
      return only({
        ...step,
        state: 'broken',
        answered,
        tookMs,
        found: {
          text: 'The other service fails: it responds with {status}.',
          values: { status: answer.status },
        },
        change: { text: 'Check the log of the other service.' },
      });
    const { more = [], next = [], change = null, ...verdict } = probe.judge(answer);
    return {
      step: { ...step, answered, tookMs, ...verdict, change },
      further: more.map((furtherVerdict) => ({
        ...nothing,
        ...furtherVerdict,
        change: furtherVerdict.change ?? null,
      })),
      next,
    };
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    const { hostname, port, protocol } = URL.canParse(address) ? new URL(address) : PLACELESS;
    const values = {
      host: hostname,
      port: port || (protocol === 'http:' ? '80' : '443'),
      seconds: (policy.timeoutMs ?? USUAL_MS) / 1000,
      location: withoutQuery(error.location),
    };
    const { found, change } = FAILURES[callFailure(error)];
    return only({
      ...step,
      state: error.reason === 'too-large' || error.reason === 'redirect' ? 'warning' : 'broken',
      tookMs: took(),
      found: { text: found, values },
      change: { text: change, values },
    });
  }
}

const PLACELESS = { hostname: '…', port: '', protocol: '' };
const only = (step: TestStep): Asked => ({ step, further: [], next: [] });

async function answerOf(
  { address, send }: Probe,
  policy: OutboundPolicy,
  redirects: boolean,
): Promise<ProbeAnswer> {
  const headers = { accept: 'application/json', ...send?.headers };
  try {
    const answer = await outboundFetch(policy)(
      address,
      send ? { method: 'POST', headers, body: send.body } : { headers },
    );
    const body = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      location: null,
      body,
      members: objectOf(body),
      error: oauthErrorOf(body),
    };
  } catch (error) {
    if (!redirects || !(error instanceof OutboundFailed) || error.location === null) throw error;
    return {
      status: 302,
      headers: new Headers(),
      location: error.location,
      body: '',
      members: null,
      error: null,
    };
  }
}

function callFailure({ reason, cause }: OutboundFailed): Failure {
  if (reason in FAILURES) return reason as Failure;
  return networkFailure((cause as { code?: string } | undefined)?.code ?? '');
}

/** The method, the address without its query, and the names of the parameters that were sent. */
function sentWords({ address, send }: Probe): string {
  const names = send?.body instanceof URLSearchParams ? ` (${[...send.body.keys()].join(', ')})` : '';
  return `${send ? 'POST' : 'GET'} ${withoutQuery(address)}${names}`;
}

const withoutQuery = (address: string | null): string => {
  if (address === null || !URL.canParse(address)) return '…';
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`.slice(0, 300);
};

// Result of a connection test: its steps, in the order in which they ran.

const testState = z.enum(['ok', 'warning', 'broken']);
const testStep = z.strictObject({
  check: z.string(),
  state: z.enum([...testState.options, 'skipped']),
  sent: z.string().nullable().describe('the request, without secrets'),
  answered: z
    .string()
    .nullable()
    .describe('the response: the status and the first characters, without secrets'),
  tookMs: z.int().nullable(),
  found: z.string().describe('the meaning of the response'),
  change: z.string().nullable().describe('the necessary change'),
});
export const connectionTest = z.strictObject({
  state: testState,
  tookMs: z.int(),
  steps: z.array(testStep),
});
type StepState = z.output<typeof testStep>['state'];
export type TestStep = Omit<z.output<typeof testStep>, 'check' | 'found' | 'change'> & {
  check: Sentence;
  found: Sentence;
  change: Sentence | null;
};
export type ConnectionTest = Omit<z.output<typeof connectionTest>, 'steps'> & { steps: TestStep[] };

const BY_WEIGHT = ['broken', 'warning'] as const;

/** The state of a test is the worst state of its steps. If all steps were skipped, the state is `warning`. */
function testOf(steps: TestStep[]): ConnectionTest {
  const worst = BY_WEIGHT.find((weight) => steps.some((step) => step.state === weight));
  const state = worst ?? (steps.every((step) => step.state === 'skipped') ? 'warning' : 'ok');
  const tookMs = steps.reduce((sum, step) => sum + (step.tookMs ?? 0), 0);
  return { state, tookMs, steps };
}

// Converts the steps of a kind of method into steps of a connection test.

/** Failures that have a separate name for directories. */
const OF_DIRECTORY: Partial<Record<Failure, Failure>> = {
  'tls-untrusted': 'directory-untrusted',
  'bad-answer': 'directory-bad-answer',
};

export function stepOfTaken(taken: TakenStep): TestStep {
  const { check, sent, answered, tookMs } = taken;
  const step = { check, sent, answered, tookMs };
  if (!('failed' in taken))
    return { ...step, state: taken.state, found: taken.found, change: taken.change ?? null };
  const { host, port, seconds, failed } = taken;
  const failure = callFailure(failed);
  const { found, change } = FAILURES[OF_DIRECTORY[failure] ?? failure];
  const values = { host, port: String(port), seconds };
  return { ...step, state: 'broken', found: { text: found, values }, change: { text: change, values } };
}

// A connection test by an administrator. The number of tests in 15 minutes is limited, and each test is audited.

const TESTS = { kind: 'tests', most: 20, refusal: 'connection.too_many' } as const;

type Tested = { what: EventDetails['connection.tested']['what']; authMethodId?: string };

/** Runs and audits a test. Throws `Refused` if the actor has exceeded the limit of tests. */
export async function limitedTest(
  actor: Actor,
  { what, authMethodId }: Tested,
  run: () => Promise<TestStep[]>,
): Promise<ConnectionTest> {
  const steps = await limitedWork(actor, TESTS, run);
  const test = testOf(steps);
  const details = { what, outcome: test.state };
  await record(actor, { event: 'connection.tested', ...(authMethodId && { authMethodId }), details });
  return test;
}
