import { TextsPanel } from '#app/(console)/_objects/texts-panel.tsx';
import { type ApiPageProps, visitApi } from '#app/(console)/_registry/visit-api.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { enter } from '#lib/management/core/operation.ts';

export const generateMetadata = titled('Texts');

export default function ApiTextsPage(props: ApiPageProps) {
  return visitApi(props, 'texts', async ({ actor, api, form, typed, query }) => {
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
}
