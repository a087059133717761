import { previewClientChange } from '#lib/management/registry/client-change.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { EditPanel } from '../_objects/object-forms.tsx';
import { ClientFields } from './client-fields.tsx';
import { clientChangeOf } from './forms.ts';
import { type ClientPageProps, visitClient } from './visit-client.tsx';

export function editClientPage(area: Area, props: ClientPageProps) {
  return visitClient({ area, props, below: 'edit' }, async ({ actor, form, typed, client }) => {
    const values = typed('client-change');
    const { clientId, version } = client;
    const change = clientChangeOf(values.typed, client);
    const start = await form('client-change');
    return (
      <EditPanel
        start={start}
        fields={{ clientId, version }}
        leave={clientPath(area, clientId)}
        consequences={values.confirming && (await previewClientChange(actor, change))}
        agreed={values.one('confirmed')}
      >
        <ClientFields actor={actor} typed={values} stored={client} faults={start.faults} />
      </EditPanel>
    );
  });
}
