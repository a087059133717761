// How our client id and secret are sent to a broker.
import type { MethodConfig } from '../kind.ts';

/**
 * What the method says; otherwise what the metadata say. `client_secret_basic` is OpenID Connect's default; plain OAuth
 * 2.0 brokers read the body.
 */
export function tokenAuthOf(config: MethodConfig, offered: readonly unknown[]): string {
  const basic = 'issuer' in config && offered.includes('client_secret_basic');
  const said = config['token_endpoint_auth_method'];
  return typeof said === 'string' ? said : basic ? 'client_secret_basic' : 'client_secret_post';
}

/** RFC 6749 §2.3.1 and Appendix B: form-encoded first, by the WHATWG serializer. */
export const basicCredentials = (clientId: string, secret: string): string =>
  `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(secret)}`)}`;

const formEncoded = (text: string) => String(new URLSearchParams([['', text]])).slice(1);
