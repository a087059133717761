// Which mail is looked at: of the address of the page, of its preview and of its form.
import { isLanguage } from '#lib/language/negotiate.ts';
import type { MailPreviewAsked } from '#lib/management/service/mail-previews.ts';

/** Not `language`: that one changes the language of a page for good. */
const NAMES = { mail: 'mail', language: 'in', apiId: 'api', clientId: 'client' } as const;

type Asked = {
  asked: MailPreviewAsked;
  /** the same as parameters of an address */
  given: Record<string, string>;
};

export function askedIn(read: (name: string) => string | undefined): Asked {
  const one = (name: string) => (read(name) ?? '').trim().slice(0, 2000);
  const language = one(NAMES.language);
  const asked = {
    mail: one(NAMES.mail) || 'registration-code',
    language: isLanguage(language) ? language : 'en',
    apiId: one(NAMES.apiId),
    clientId: one(NAMES.clientId),
  } as const;
  const given = Object.entries(NAMES).map(([of, name]) => [name, asked[of as keyof typeof NAMES]] as const);
  return { asked, given: Object.fromEntries(given.filter(([, value]) => value !== '')) };
}
