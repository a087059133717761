import { mayDo, previewClientChange } from '#lib/management/index.ts';
import type { Area } from '../_forms/form.ts';
import { Consequences } from '../_ui/consequences.tsx';
import { TextField } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { ClientFields } from './client-fields.tsx';
import { type ClientKind, clientPath, type IdTokenAlg } from './kinds.ts';
import { type ClientPageProps, visitClient } from './visit-client.tsx';

export function editClientPage(area: Area, props: ClientPageProps) {
  return visitClient({ area, props, below: 'edit' }, async ({ actor, form, typed, client }) => {
    const values = typed('client-change');
    const { clientId } = client;
    const consequences =
      values.confirming &&
      (await previewClientChange(actor, {
        clientId,
        name: values.one('name'),
        kind: values.one('kind') as ClientKind,
        redirectUris: [...values.list('redirectUris')],
        allowedOrigins: [...values.list('allowedOrigins')],
        logoUri: values.one('logoUri') || null,
        postLogoutRedirectUris: [...values.list('postLogoutRedirectUris')],
        backchannelLogoutUri: values.one('backchannelLogoutUri') || null,
        backchannelLogoutSessionRequired: values.checked('backchannelLogoutSessionRequired'),
        idTokenSignedResponseAlg: (values.one('idTokenSignedResponseAlg') || undefined) as
          | IdTokenAlg
          | undefined,
      }));
    return (
      <Panel id="edit" heading="Edit">
        <Form {...(await form('client-change'))}>
          <input type="hidden" name="clientId" value={clientId} />
          <input type="hidden" name="version" value={client.version} />
          <ClientFields typed={values} stored={client} />
          {mayDo(actor, 'clients.manage-all') && (
            <TextField
              name="ownerEmail"
              label="Owner"
              type="email"
              optional
              hint="The developer who looks after it."
              value={values.one('ownerEmail', client.ownerEmail ?? '')}
              meanwhile={values.meanwhile('ownerEmail', client.ownerEmail ?? '')}
            />
          )}
          {consequences && (
            <Consequences
              of={consequences}
              heading="Saving this has consequences"
              agreed={values.one('confirmed')}
            />
          )}
          <div className="form-actions">
            <Submit>{consequences ? 'Save it all the same' : 'Save'}</Submit>
            <a className="button quiet" href={clientPath(area, clientId)}>
              Cancel
            </a>
          </div>
        </Form>
      </Panel>
    );
  });
}
