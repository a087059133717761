// The form that sends an administrator an example of a mail.
import { done, type Forms } from '#app/(console)/_forms/form.ts';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import { sendMailPreview } from '#lib/management/service/mail-previews.ts';
import { askedIn } from './asked.ts';

export const mailForms: Forms = {
  'mail-send': {
    page: (fields) => withQuery('/admin/mails', askedIn((name) => fields.one(name)).given),
    run: async (actor, fields) => {
      const { asked, given } = askedIn((name) => fields.one(name));
      const { email } = await sendMailPreview(actor, asked);
      return done(withQuery('/admin/mails', given), 'mail-sent', email);
    },
  },
};
