import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { pageAboutApi } from '#app/(console)/_subjects/object-pages.tsx';
import { TextsPanel } from '#app/(console)/_subjects/texts-panel.tsx';
import { enter } from '#lib/management/operations.ts';

export const generateMetadata = pageTitle('Texts');

export default pageAboutApi('texts', async ({ actor, api, form, typed, query }) => {
  await enter(actor, { action: 'registry.manage' });
  return (
    <TextsPanel
      of={api}
      id={{ id: api.id }}
      start={await form('api-texts')}
      typed={typed('api-texts')}
      here={`/admin/apis/${encodeURIComponent(api.id)}/texts`}
      asked={query['in']}
    />
  );
});
