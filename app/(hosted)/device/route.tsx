import { htmlPage, styleOf } from '#app/_html/html-page.ts';
import { viewDevice } from '#lib/oauth/pages/device.ts';
import { DevicePage } from './device-page.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie, ip, requestId, frameFor }) => {
    const view = await viewDevice({
      interaction: query('interaction'),
      code: query('user_code'),
      alert: query('alert'),
      wait: query('wait'),
      done: query('done'),
      cookie,
      ip,
    });
    const frame = frameFor(view.kind === 'ready' ? view.locale : null);
    const status = view.kind === 'unusable' ? 400 : 200;
    const content = <DevicePage view={view} requestId={requestId} frame={frame} />;
    return { status, title: frame.words.t('device.heading'), content, style: styleOf(view) };
  },
  { personal: true, translated: true },
);
