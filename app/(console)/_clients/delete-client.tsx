import { previewClientDeletion } from '#lib/management/index.ts';
import type { Area } from '../_forms/form.ts';
import { Consequences } from '../_ui/consequences.tsx';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { clientPath } from './kinds.ts';
import { type ClientPageProps, visitClient } from './visit-client.tsx';

export function deleteClientPage(area: Area, props: ClientPageProps) {
  return visitClient({ area, props, below: 'delete' }, async ({ actor, form, typed, client }) => {
    const { clientId, name, version } = client;
    return (
      <Panel
        id="delete"
        heading={`Delete ${name}?`}
        lead="Its registration, secrets, subscriptions and consents go with it. There is no way back."
      >
        <Form {...(await form('client-delete'))}>
          <input type="hidden" name="clientId" value={clientId} />
          <input type="hidden" name="version" value={version} />
          <Consequences
            of={await previewClientDeletion(actor, { clientId })}
            heading="What ends with it"
            agreed={typed('client-delete').one('confirmed')}
          />
          <div className="form-actions">
            <Submit tone="danger">Delete it for good</Submit>
            <a className="button quiet" href={clientPath(area, clientId)}>
              Keep it
            </a>
          </div>
        </Form>
      </Panel>
    );
  });
}
