import type { Metadata } from 'next';
import { type ApiPageProps, visitApi } from '#app/(console)/_registry/visit-api.tsx';
import { Consequences } from '#app/(console)/_ui/consequences.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import { enter, previewApiDeletion } from '#lib/management/index.ts';

export const dynamic = 'force-dynamic';
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
        <Form {...(await form('api-delete'))}>
          <input type="hidden" name="id" value={api.id} />
          <input type="hidden" name="version" value={api.version} />
          <Consequences
            of={await previewApiDeletion(actor, { id: api.id })}
            heading="What ends with it"
            agreed={typed('api-delete').one('confirmed')}
          />
          <div className="form-actions">
            <Submit tone="danger">Delete it for good</Submit>
            <a className="button quiet" href={`/admin/apis/${encodeURIComponent(api.id)}`}>
              Keep it
            </a>
          </div>
        </Form>
      </Panel>
    );
  });
}
