// An authorize request without a client, or without an address of it, to answer to (RFC 6749 §4.1.2.1).
import type { Told } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';

/**
 * The request cannot be answered by a redirect: the 400 page tells the person what happened, and the developer which
 * parameter is at fault.
 */
export class UnidentifiedRequest extends Error {
  override name = 'UnidentifiedRequest';
  readonly told: Told;
  readonly forDeveloper: string | null;
  constructor(told: Told, forDeveloper: string | null = null) {
    super(wordsOf('en').told(told));
    this.told = told;
    this.forDeveloper = forDeveloper;
  }
}

/** A request_uri that is not of this client, or not of this service: no address is proved that it could be told. */
export class UnusableRequestUri extends UnidentifiedRequest {
  override name = 'UnusableRequestUri';
  constructor(why: string) {
    super('errors.pushed_request', `invalid_request_uri: ${why}`);
  }
}
