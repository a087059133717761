import { previewClientRevocation } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';
import type { Area } from '../_forms/form.ts';
import { endedWords } from '../_forms/revoked-words.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { Form } from '../_ui/form.tsx';
import { Callout, Panel } from '../_ui/pieces.tsx';
import { type ClientPageProps, visitClient } from './visit-client.tsx';

export function revokeClientPage(area: Area, props: ClientPageProps) {
  return visitClient({ area, props, below: 'revoke' }, async ({ actor, form, client }) => {
    const { clientId, name } = client;
    const would = await previewClientRevocation(actor, { clientId });
    return (
      <Panel
        id="revoke"
        heading={`Revoke everything that ${plainText(name)} has?`}
        lead="It stays registered, with its subscriptions and secrets. The people who use it are asked for consent again, and a machine may ask for new tokens at once."
      >
        <Form
          {...(await form('client-revoke'))}
          fields={{ clientId }}
          submit="Revoke all"
          tone="danger"
          leave={{ href: clientPath(area, clientId), label: 'Leave it as it is' }}
        >
          <Callout tone="refused">
            <p>
              <strong>What ends:</strong> {endedWords(would)}
            </p>
          </Callout>
        </Form>
      </Panel>
    );
  });
}
