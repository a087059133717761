// The mail about a delegation: it lasts longer than a sign-in, so its person learns of it as of a passkey.

import { sendServiceMail } from '#lib/mail/service-mail.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import { type Person, readerOf } from '../core/policy.ts';

/** In the background. Nothing is sent to a person without an address here. */
export function tellOfDelegation(
  { email, ...person }: Person,
  given: { agent: DisplayText; api: DisplayText; until: Date },
): void {
  if (email !== null) sendServiceMail(readerOf({ ...person, email }), 'delegation-given', given);
}
