import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { clientPath } from '#app/(console)/_subjects/client-kinds.ts';
import { pageAboutClient } from '#app/(console)/_subjects/object-pages.tsx';
import { TextsPanel } from '#app/(console)/_subjects/texts-panel.tsx';
import { enter } from '#lib/management/operations.ts';

export const generateMetadata = pageTitle('Texts');

export default pageAboutClient('admin', 'texts', async (visit) => {
  const { actor, client, form, typed, query } = visit;
  await enter(actor, { action: 'clients.manage-all' });
  const { clientId } = client;
  return (
    <TextsPanel
      of={client}
      id={{ clientId }}
      start={await form('client-texts')}
      typed={typed('client-texts')}
      here={clientPath('admin', clientId, 'texts')}
      asked={query['in']}
    />
  );
});
