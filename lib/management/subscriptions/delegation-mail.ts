// The mail about a delegation: it lasts longer than a sign-in, so its person learns of it as of a passkey.

import { namedIn, sendServiceMail } from '#lib/mail/index.ts';
import type { DisplayText } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import { type Person, readerOf } from '../core/index.ts';

/** In the background. Nothing is sent to a person without an address here. */
export function tellOfDelegation(
  { email, ...person }: Person,
  { agent, api, until }: { agent: DisplayText; api: DisplayText; until: Date },
): void {
  if (email === null) return;
  sendServiceMail(readerOf({ ...person, email }), (words) => {
    const { t, shown } = words;
    const named = (text: DisplayText) => namedIn(words, shown(text).text);
    const what = { agent: named(agent), api: named(api), until: until.toISOString().slice(0, 10) };
    return {
      subject: t('mail.delegation_given_subject'),
      parts: [
        t('mail.delegation_given', what),
        t('mail.factor_you'),
        {
          text: t('mail.delegation_not_you'),
          href: `${settings().baseUrl}/account`,
          button: t('mail.button_account'),
        },
      ],
    };
  });
}
