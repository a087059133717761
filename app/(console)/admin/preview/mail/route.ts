// GET /admin/preview/mail: the HTML of a mail, for a frame of /admin/mails.
import { LEADS_NOWHERE, previewRoute } from '#app/(console)/_subjects/preview-answer.ts';
import { previewMail } from '#lib/management/mail-previews.ts';
import { askedIn } from '../../mails/forms.ts';

export const dynamic = 'force-dynamic';

export const GET = previewRoute(async (actor, query) => {
  const { html } = await previewMail(actor, askedIn(query).asked);
  return { body: html.replace('<head>\n', `<head>\n${LEADS_NOWHERE}`), preview: 'mail' };
});
