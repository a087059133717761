// Reasons why a call has no usable response. The messages appear in logs, the audit log and `doctor`, and contain no
// secret.

const WORDS = {
  unreachable: 'no connection, or an unusable one',
  timeout: 'no whole answer in time',
  'too-large': 'the answer is too large',
  redirect: 'the answer is a redirect, which is never followed',
  'private-address': 'the address is not a public one',
  insecure: 'only https addresses are called',
  'bad-answer': 'the answer makes no sense',
  'breaker-open': 'not called: it failed several times in a row a moment ago',
  busy: 'not called: too many calls are waiting for an answer already',
} as const;

export class OutboundFailed extends Error {
  override name = 'OutboundFailed';
  readonly reason: keyof typeof WORDS;
  /** target of a redirect; null: the response is no redirect */
  readonly location: string | null;

  constructor(reason: keyof typeof WORDS, options?: ErrorOptions & { location?: string | null }) {
    super(WORDS[reason], options);
    this.reason = reason;
    this.location = options?.location ?? null;
  }
}
