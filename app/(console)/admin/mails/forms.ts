// Form that sends an example mail to the administrator.
import { type Forms, redirectAfter } from '#app/(console)/_kit/console-form.ts';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { isLanguage } from '#lib/language/negotiate.ts';
import { type MailPreviewAsked, sendMailPreview } from '#lib/management/mail-previews.ts';

// The selected mail: the page, the preview and the form use the same parameters.

/** The parameter is not `language`, because that parameter permanently changes the page language. */
const NAMES = { mail: 'mail', language: 'in', apiId: 'api', clientId: 'client' } as const;

type Asked = {
  asked: MailPreviewAsked;
  /** the same selection as parameters of the address */
  given: Record<string, string>;
};

export function askedIn(read: (name: string) => string | undefined): Asked {
  const readParameter = (name: string) => (read(name) ?? '').trim().slice(0, 2000);
  const language = readParameter(NAMES.language);
  const preview = {
    mail: readParameter(NAMES.mail) || 'registration-code',
    language: isLanguage(language) ? language : 'en',
    apiId: readParameter(NAMES.apiId),
    clientId: readParameter(NAMES.clientId),
  } as const;
  const parameters = Object.entries(NAMES).map(
    ([of, name]) => [name, preview[of as keyof typeof NAMES]] as const,
  );
  return { asked: preview, given: Object.fromEntries(parameters.filter(([, value]) => value !== '')) };
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
