import type { Metadata } from 'next';
import { ApiFields } from '#app/(console)/_registry/api-fields.tsx';
import { apiOfForm } from '#app/(console)/_registry/read-api.ts';
import { type ApiPageProps, visitApi } from '#app/(console)/_registry/visit-api.tsx';
import { Consequences } from '#app/(console)/_ui/consequences.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { enter, pageAuthMethods, previewApiChange } from '#lib/management/index.ts';

export const metadata: Metadata = { title: 'Edit the API' };

export default function EditApiPage(props: ApiPageProps) {
  return visitApi(props, 'edit', async ({ actor, api, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    const methods = (await pageAuthMethods(actor, { limit: 200 })).rows;
    const values = typed('api-change');
    const read = { one: (name: string) => values.one(name), all: (name: string) => values.every(name) };
    const consequences = values.confirming && (await previewApiChange(actor, apiOfForm(read)));
    return (
      <Panel id="edit" heading="Edit">
        <Form
          {...(await form('api-change'))}
          fields={{ id: api.id, version: api.version }}
          submit={consequences ? 'Save it all the same' : 'Save'}
          leave={{ href: `/admin/apis/${encodeURIComponent(api.id)}`, label: 'Cancel' }}
        >
          <ApiFields typed={values} stored={api} methods={methods} isNew={false} />
          {consequences && (
            <Consequences
              of={consequences}
              heading="Saving this has consequences"
              agreed={values.one('confirmed')}
            />
          )}
        </Form>
      </Panel>
    );
  });
}
