import { unlistedRoute } from '#app/_doors/door.ts';
import { htmlPage } from '#app/_html/html-page.ts';
import { NEW_PASSWORD_SCRIPT } from '#app/_html/scripts.ts';
import { type RegisterView, viewRegister } from '#lib/oauth/pages/register.ts';
import { REGISTER_HEADINGS, RegisterPage } from '../pages.tsx';

export const dynamic = 'force-dynamic';

// at an issuer's separate host, clients register at this address (RFC 7591)
export const { DELETE, HEAD, OPTIONS, PATCH, POST, PUT } = unlistedRoute();

export const GET = htmlPage(
  async ({ query, cookie, frameFor }) => {
    const [interaction, link, done] = [query('interaction'), query('link'), query('done')];
    const [invitation, again] = [query('invitation'), query('again')];
    const view = await viewRegister({ interaction, link, done, invitation, again, cookie });
    const choosing = view.kind === 'invited' || (view.kind === 'ready' && view.step === 'password');
    const scripts = choosing ? [NEW_PASSWORD_SCRIPT] : undefined;
    return <RegisterPage view={view} frame={frameFor({ title: titleOf(view), view, scripts })} />;
  },
  { personal: true },
);

function titleOf(view: RegisterView) {
  if (view.kind === 'ready') return REGISTER_HEADINGS[view.step];
  return view.kind === 'invited' ? REGISTER_HEADINGS.address : view.heading;
}
