import { htmlPage } from '#app/_html/html-page.ts';
import { viewConsent } from '#lib/oauth/pages/consent.ts';
import { ConsentPage } from './consent-page.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie, frameFor }) => {
    const view = await viewConsent({ interaction: query('interaction'), cookie });
    return <ConsentPage view={view} frame={frameFor({ title: 'consent.title', view })} />;
  },
  { personal: true },
);
