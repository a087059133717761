// Form sending an example mail to the administrator.
import { type Forms, redirectAfter } from '#app/(console)/_kit/console-form.ts';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { isLanguage } from '#lib/language/negotiate.ts';
import { type MailPreviewAsked, sendMailPreview } from '#lib/management/mail-previews.ts';

// Selected mail, shared by page, preview and form addresses.

/** Not `language`, which permanently changes the page language. */
const NAMES = { mail: 'mail', language: 'in', apiId: 'api', clientId: 'client' } as const;

type Asked = {
  asked: MailPreviewAsked;
  /** same values as address parameters */
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

export const mailForms: Forms = {
  'mail-send': {
    page: (fields) => withQuery('/admin/mails', askedIn((name) => fields.one(name)).given),
    run: async (actor, fields) => {
      const { asked, given } = askedIn((name) => fields.one(name));
      const { email } = await sendMailPreview(actor, asked);
      return redirectAfter(withQuery('/admin/mails', given), 'mail-sent', email);
    },
  },
};
