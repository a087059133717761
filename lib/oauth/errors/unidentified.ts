// An authorize request without a client, or without an address of it, to answer to (RFC 6749 §4.1.2.1).
import { type Told, wordsOf } from '#lib/language/index.ts';

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
