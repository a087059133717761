import { type ClientPageProps, visitClient } from '#app/(console)/_clients/visit-client.tsx';
import { clientPath } from '#app/(console)/_objects/client-kinds.ts';
import { TextsPanel } from '#app/(console)/_objects/texts-panel.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { enter } from '#lib/management/core/operation.ts';

export const generateMetadata = titled('Texts');

export default function ClientTextsPage(props: ClientPageProps) {
  return visitClient({ area: 'admin', props, below: 'texts' }, async (visit) => {
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
}
