import type { Metadata } from 'next';
import { type ApiPageProps, visitApi } from '#app/(console)/_registry/visit-api.tsx';
import { Consequences } from '#app/(console)/_ui/consequences.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { enter, previewApiDeletion } from '#lib/management/index.ts';

export const metadata: Metadata = { title: 'Delete the API' };

export default function DeleteApiPage(props: ApiPageProps) {
  return visitApi(props, 'delete', async ({ actor, api, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    return (
      <Panel
        id="delete"
        heading={`Delete ${api.name}?`}
        lead="Its subscriptions, consents and tokens go with it. There is no way back."
      >
        <Form
          {...(await form('api-delete'))}
          fields={{ id: api.id, version: api.version }}
          submit="Delete it for good"
          tone="danger"
          leave={{ href: `/admin/apis/${encodeURIComponent(api.id)}`, label: 'Keep it' }}
        >
          <Consequences
            of={await previewApiDeletion(actor, { id: api.id })}
            heading="What ends with it"
            agreed={typed('api-delete').one('confirmed')}
          />
        </Form>
      </Panel>
    );
  });
}
