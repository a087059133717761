import { htmlPage, styleOf } from '#app/_html/html-page.ts';
import { PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import { viewSignIn } from '#lib/oauth/pages/sign-in.ts';
import { SignInPage } from '../pages.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie, requestId, frame }) => {
    const view = await viewSignIn({ interaction: query('interaction'), done: query('done'), cookie });
    const status = view.kind === 'unusable' ? 400 : 200;
    const content = <SignInPage view={view} requestId={requestId} frame={frame} />;
    const passkeys = view.kind === 'ready' && view.passkey !== null;
    return {
      status,
      title: frame.words.t('sign_in.heading'),
      content,
      style: styleOf(view),
      ...(passkeys && { scripts: [PASSKEY_SCRIPT] }),
    };
  },
  { personal: true, translated: true },
);
