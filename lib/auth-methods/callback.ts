// The redirect URI at a broker, and protection against mix-up (RFC 9700 §4.4). Each broker method has a separate
// redirect URI, so a response at this URI comes from that broker. The older shared redirect URI remains; at that URI
// only `iss` (RFC 9207) distinguishes several brokers.
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { settings } from '#lib/settings/settings.ts';
import { currentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import type { BrokerAnswer, Expectation } from './method.ts';

export const SHARED_CALLBACK = '/auth/callback/broker';

export const ownCallback = (authMethodId: string): string => `/auth/callback/${authMethodId}`;

/**
 * True if the method uses the shared redirect URI. If the id of the method is `broker`, the separate redirect
 * URI is the same address.
 */
const usesShared = ({ id, config }: Pick<SnapshotMethod, 'id' | 'config'>): boolean =>
  config['shared_callback'] === true || ownCallback(id) === SHARED_CALLBACK;

/** Returns the path of the method's redirect URI. */
export function callbackOf(method: Pick<SnapshotMethod, 'id' | 'config'>): string {
  return usesShared(method) ? SHARED_CALLBACK : ownCallback(method.id);
}

/**
 * Redirect URIs that must be registered at this broker: one below {auth_url}, and one below {base_url} for the
 * console if the hosts differ.
 */
export function ownCallbackUris(authMethodId: string): [string, ...string[]] {
  const [first, second] = [callbackOrigin(), settings().baseUrl].map(
    (origin) => `${origin}${ownCallback(authMethodId)}`,
  ) as [string, string];
  return first === second ? [first] : [first, second];
}

/**
 * The origin of the redirect URI for sign-ins to clients. Cookies of this browser must reach this origin (AUTH_URL,
 * docs/reference/settings.md).
 */
export function callbackOrigin(): string {
  const { baseUrl, authUrl } = settings();
  const [base, auth] = [new URL(baseUrl), new URL(authUrl)];
  const sameSite = base.hostname === auth.hostname && base.protocol === auth.protocol;
  return sameSite ? baseUrl : authUrl;
}

/** Returns the redirect URI for sign-ins to clients with this method. */
export const callbackUriOf = (method: Pick<SnapshotMethod, 'id' | 'config'>): string =>
  `${callbackOrigin()}${callbackOf(method)}`;

/**
 * A value that identifies the broker, because a configuration change during a sign-in may connect the method to
 * another broker.
 */
export const brokerOf = ({ config }: Pick<SnapshotMethod, 'config'>): string =>
  String(config['issuer'] ?? config['token_endpoint']);

/**
 * `elsewhere`: the response arrived at the redirect URI of another method. `iss-missing`: several brokers may have
 * sent it.
 */
export type AnswerFault = 'another-broker' | 'elsewhere' | 'iss-missing';

/** Returns `null` if the code may be redeemed. After that, openid-client compares `iss`. */
export async function answerFault(
  method: SnapshotMethod,
  { arrivedAt, iss }: BrokerAnswer,
  { broker, redirectUri }: Expectation,
): Promise<AnswerFault | null> {
  if (broker !== brokerOf(method)) return 'another-broker';
  const sentTo = new URL(redirectUri).pathname;
  if (arrivedAt !== null && arrivedAt !== SHARED_CALLBACK) return arrivedAt === sentTo ? null : 'elsewhere';
  if (iss !== null) return null;
  const { methods } = await currentSnapshot();
  const others = [...methods.values()].filter(
    (other) => methodCan(other, 'redirects') && other.id !== method.id,
  );
  // a response to a separate redirect URI is accepted at the shared redirect URI only if there is no other
  // broker
  const ambiguous = others.some((other) => sentTo !== SHARED_CALLBACK || usesShared(other));
  return ambiguous ? 'iss-missing' : null;
}
