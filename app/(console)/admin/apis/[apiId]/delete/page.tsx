import type { Metadata } from 'next';
import { DeletePanel } from '#app/(console)/_objects/object-forms.tsx';
import { type ApiPageProps, visitApi } from '#app/(console)/_registry/visit-api.tsx';
import { enter, previewApiDeletion } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';

export const metadata: Metadata = { title: 'Delete the API' };

export default function DeleteApiPage(props: ApiPageProps) {
  return visitApi(props, 'delete', async ({ actor, api, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    const { id, name, version } = api;
    return (
      <DeletePanel
        start={await form('api-delete')}
        fields={{ id, version }}
        leave={`/admin/apis/${encodeURIComponent(id)}`}
        name={plainText(name)}
        lead="Its subscriptions, consents and tokens go with it. There is no way back."
        consequences={await previewApiDeletion(actor, { id })}
        agreed={typed('api-delete').one('confirmed')}
      />
    );
  });
}
