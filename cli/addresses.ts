// Which addresses the command line sends a token, or a person, to.
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { WrongUsage } from './typed.ts';

/** OAuth 2.1 §1.5: https, or http on the person's own machine. */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
}

/** Of a service, as it was typed. */
export function originOf(server: string): string {
  if (!isSafeAddress(server))
    throw new WrongUsage('--server must be an https address (or http on localhost)');
  return new URL(server).origin;
}
