// Where a broker sends people back to, and whether an answer that arrives can be the one we wait for (mix-up, RFC 9700
// §4.4). Each broker method has an address of its own: what arrives there is that broker's. The one address that all
// methods had stays (specification 4.2); there only the answer's `iss` (RFC 9207) tells several brokers apart.
import { settings } from '#lib/settings/index.ts';
import { currentSnapshot, type SnapshotMethod } from '#lib/store/index.ts';
import type { BrokerAnswer, Expectation } from './method.ts';

export const SHARED_CALLBACK = '/auth/callback/broker';

export const ownCallback = (authMethodId: string): string => `/auth/callback/${authMethodId}`;

/** A method whose id is `broker` has the shared address as its own. */
const usesShared = ({ id, config }: Pick<SnapshotMethod, 'id' | 'config'>): boolean =>
  config['shared_callback'] === true || ownCallback(id) === SHARED_CALLBACK;

/** The path that the method's redirect_uri has. */
export function callbackOf(method: Pick<SnapshotMethod, 'id' | 'config'>): string {
  return usesShared(method) ? SHARED_CALLBACK : ownCallback(method.id);
}

/** What to register at the broker of a method, and only there: the second where a sign-in to the console needs it too. */
export function ownCallbackUris(authMethodId: string): [string, ...string[]] {
  const [first, second] = [callbackOrigin(), settings().baseUrl].map(
    (origin) => `${origin}${ownCallback(authMethodId)}`,
  ) as [string, string];
  return first === second ? [first] : [first, second];
}

/** Of the addresses above, for applications: a place that this browser's cookies reach (contract section 2). */
export function callbackOrigin(): string {
  const { baseUrl, authUrl } = settings();
  const [base, auth] = [new URL(baseUrl), new URL(authUrl)];
  const sameSite = base.hostname === auth.hostname && base.protocol === auth.protocol;
  return sameSite ? baseUrl : authUrl;
}

/** What tells brokers apart, whatever their method is called: it may be given to another one while somebody is away. */
export const brokerOf = ({ config }: Pick<SnapshotMethod, 'config'>): string =>
  String(config['issuer'] ?? config['token_endpoint']);

/** `elsewhere`: it came to another method's address. `iss-missing`: several brokers could have sent it. */
export type AnswerFault = 'another-broker' | 'elsewhere' | 'iss-missing';

/** Null: it may be redeemed. An `iss` is compared then. */
export async function answerFault(
  method: SnapshotMethod,
  { arrivedAt, iss }: BrokerAnswer,
  { broker = brokerOf(method), redirectUri }: Expectation,
): Promise<AnswerFault | null> {
  if (broker !== brokerOf(method)) return 'another-broker';
  const sentTo = new URL(redirectUri).pathname;
  if (arrivedAt !== null && arrivedAt !== SHARED_CALLBACK) return arrivedAt === sentTo ? null : 'elsewhere';
  if (iss !== null) return null;
  const { methods } = await currentSnapshot();
  const others = [...methods.values()].filter((other) => other.type === 'broker' && other.id !== method.id);
  // who was sent to an address of its own may come to the shared one only where there is no other broker at all
  const ambiguous = others.some((other) => sentTo !== SHARED_CALLBACK || usesShared(other));
  return ambiguous ? 'iss-missing' : null;
}
