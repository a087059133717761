import { htmlPage, styleOf } from '#app/_html/html-page.ts';
import { viewConsent } from '#lib/oauth/pages/consent.ts';
import { ConsentPage } from './consent-page.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie, requestId, frameFor }) => {
    const view = await viewConsent({ interaction: query('interaction'), cookie });
    const frame = frameFor(view.kind === 'ready' ? view.locale : null);
    const status = view.kind === 'unusable' ? 400 : 200;
    const content = <ConsentPage view={view} requestId={requestId} frame={frame} />;
    return { status, title: frame.words.t('consent.title'), content, style: styleOf(view) };
  },
  { personal: true, translated: true },
);
