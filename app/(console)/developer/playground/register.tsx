import { say } from '#app/(console)/_texts/say.tsx';
import { previewClientChange } from '#lib/management/registry/client-change.ts';
import type { ClientDetail } from '#lib/management/registry/clients.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { clientPath } from '../../_objects/client-kinds.ts';
import { Consequences } from '../../_objects/consequences.tsx';
import { Form } from '../../_ui/form.tsx';
import { Panel } from '../../_ui/pieces.tsx';
import type { Visit } from '../../_visit/visit.tsx';
import { withPlayground } from './untouched.ts';

type RegisterProps = Visit & { client: ClientDetail; redirectUri: string };

/** The playground is a redirect address, which has to be registered first. */
export async function Register({ client, redirectUri, actor, form, typed }: RegisterProps) {
  const { clientId, version } = client;
  const redirectUris = withPlayground(client);
  const back = typed('playground-register');
  const { confirming } = back;
  return (
    <Panel
      id="register"
      heading={say('Let {application} come back to this page', { application: plainText(client.name) })}
      lead={say(
        'People are only ever sent back to redirect addresses that are registered. For the playground that is this page, and you can remove it on the page of the application:',
      )}
    >
      <p>
        <code>{redirectUri}</code>
      </p>
      <Form
        {...(await form('playground-register'))}
        fields={{ clientId, version }}
        submit={confirming ? say('Register it anyway') : say('Register it')}
        leave={{ href: clientPath('developer', clientId, 'edit'), label: say('I edit the addresses myself') }}
      >
        {confirming && (
          <Consequences
            of={await previewClientChange(actor, { clientId, redirectUris })}
            heading={say('Registering it has consequences')}
            agreed={back.one('confirmed')}
          />
        )}
      </Form>
    </Panel>
  );
}
