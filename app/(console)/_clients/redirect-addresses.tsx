// Where people come back to. That there is none is a warning, and the playground's own address can be removed.

import { previewClientChange } from '#lib/management/registry/client-change.ts';
import type { ClientDetail } from '#lib/management/registry/clients.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { Consequences } from '../_objects/consequences.tsx';
import { say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Callout } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import type { Visit } from '../_visit/visit.tsx';

export const playgroundAddress = () => `${settings().baseUrl}/developer/playground`;

export const withoutPlayground = (uris: readonly string[]): string[] =>
  uris.filter((uri) => uri !== playgroundAddress());

type RedirectAddressesProps = Pick<Visit, 'actor' | 'form' | 'typed'> & { area: Area; client: ClientDetail };

export function RedirectAddresses({ area, client, ...visit }: RedirectAddressesProps) {
  const { clientId, redirectUris, kind, origin } = client;
  if (redirectUris.length === 0)
    return (
      <Callout>
        <p>
          {say('None: it cannot send people to the sign-in page.')}{' '}
          {kind === 'confidential' && `${say('What works in its own name needs none.')} `}
          {origin !== 'document' && <a href={clientPath(area, clientId, 'edit')}>{say('Add one')}</a>}
        </p>
      </Callout>
    );
  return (
    <ul>
      {redirectUris.map((uri) => (
        <li key={uri}>
          <code>{uri}</code>
          {uri === playgroundAddress() && <OfPlayground client={client} {...visit} />}
        </li>
      ))}
    </ul>
  );
}

async function OfPlayground({ client, actor, form, typed }: Omit<RedirectAddressesProps, 'area'>) {
  const { clientId, version, origin } = client;
  const values = typed('playground-remove');
  const redirectUris = withoutPlayground(client.redirectUris);
  return (
    <>
      <p className="soft">
        {say('The playground of this console comes back here. Your application does not need it.')}
      </p>
      {origin !== 'document' && (
        <Form {...(await form('playground-remove'))} fields={{ clientId, version }} className="inline">
          {values.confirming && (
            <Consequences
              of={await previewClientChange(actor, { clientId, redirectUris })}
              heading={say('Removing it has consequences')}
              agreed={values.one('confirmed')}
            />
          )}
          <Submit tone="plain" of={say('the playground’s address')}>
            {values.confirming ? say('Remove it all the same') : say('Remove it')}
          </Submit>
        </Form>
      )}
    </>
  );
}
