import { htmlPage } from '#app/_html/html-page.ts';
import { PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import { viewSignIn } from '#lib/oauth/pages/sign-in.ts';
import { SignInPage } from '../pages.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie, frameFor }) => {
    const view = await viewSignIn({ interaction: query('interaction'), done: query('done'), cookie });
    const passkeys = view.kind === 'ready' && view.passkey !== null;
    const scripts = passkeys ? [PASSKEY_SCRIPT] : undefined;
    return <SignInPage view={view} frame={frameFor({ title: 'sign_in.heading', view, scripts })} />;
  },
  { personal: true },
);
