import { previewClientDeletion } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { DeletePanel } from '../_objects/object-forms.tsx';
import { type ClientPageProps, visitClient } from './visit-client.tsx';

export function deleteClientPage(area: Area, props: ClientPageProps) {
  return visitClient({ area, props, below: 'delete' }, async ({ actor, form, typed, client }) => {
    const { clientId, name, version } = client;
    return (
      <DeletePanel
        start={await form('client-delete')}
        fields={{ clientId, version }}
        leave={clientPath(area, clientId)}
        name={plainText(name)}
        lead="Its registration, secrets, subscriptions and consents go with it. There is no way back."
        consequences={await previewClientDeletion(actor, { clientId })}
        agreed={typed('client-delete').one('confirmed')}
      />
    );
  });
}
