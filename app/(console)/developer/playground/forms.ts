// Registering the playground's own address as a redirect address of the application.
import { english } from '#lib/language/message.ts';
import { changeClient, previewClientChange } from '#lib/management/registry/client-change.ts';
import { readClient } from '#lib/management/registry/clients.ts';
import { mustConfirm } from '../../_forms/confirm.ts';
import type { Fields } from '../../_forms/fields.ts';
import { done, type Forms } from '../../_forms/form.ts';
import { reasonToLeave, withPlayground } from './untouched.ts';

const page = (fields: Fields) =>
  `/developer/playground?${new URLSearchParams({ client: fields.one('clientId') })}`;

export const playgroundForms: Forms = {
  'playground-register': {
    page,
    run: async (actor, fields) => {
      const clientId = fields.one('clientId');
      const client = await readClient(actor, { clientId });
      if ((await reasonToLeave(actor, client)) !== null)
        return {
          kind: 'refused',
          status: 409,
          told: english('The playground does not change this application: people rely on it.'),
        };
      const redirectUris = withPlayground(client);
      const consequences = await previewClientChange(actor, { clientId, redirectUris });
      if (mustConfirm(consequences, fields)) return { kind: 'confirm' };
      await changeClient(actor, { clientId, redirectUris, version: fields.number('version') });
      return done(page(fields), 'redirect-added');
    },
  },
};
