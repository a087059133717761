import { unlistedRoute } from '#app/_doors/door.ts';
import { htmlPage, styleOf } from '#app/_html/html-page.ts';
import { NEW_PASSWORD_SCRIPT } from '#app/_html/scripts.ts';
import type { Words } from '#lib/language/words.ts';
import { type RegisterView, viewRegister } from '#lib/oauth/pages/register.ts';
import { REGISTER_HEADINGS, RegisterPage } from '../pages.tsx';

export const dynamic = 'force-dynamic';

// at an issuer's separate host, clients register at this address (RFC 7591)
export const { DELETE, HEAD, OPTIONS, PATCH, POST, PUT } = unlistedRoute();

export const GET = htmlPage(
  async ({ query, cookie, requestId, frame }) => {
    const [interaction, link, done] = [query('interaction'), query('link'), query('done')];
    const [invitation, again] = [query('invitation'), query('again')];
    const view = await viewRegister({ interaction, link, done, invitation, again, cookie });
    const status = view.kind === 'unusable' ? 400 : 200;
    const choosing = view.kind === 'invited' || (view.kind === 'ready' && view.step === 'password');
    return {
      status,
      title: titleOf(view, frame.words),
      content: <RegisterPage view={view} requestId={requestId} frame={frame} />,
      style: styleOf(view),
      ...(choosing && { scripts: [NEW_PASSWORD_SCRIPT] }),
    };
  },
  { personal: true, translated: true },
);

function titleOf(view: RegisterView, { t }: Words): string {
  if (view.kind === 'ready') return t(REGISTER_HEADINGS[view.step]);
  return view.kind === 'invited' ? t(REGISTER_HEADINGS.address) : t(view.heading);
}
