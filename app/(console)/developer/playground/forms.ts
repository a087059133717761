// Registering the playground's own address as a redirect address of the application.
import { changeClient, previewClientChange, readClient } from '#lib/management/index.ts';
import { playgroundAddress } from '../../_clients/redirect-addresses.tsx';
import { mustConfirm } from '../../_forms/confirm.ts';
import type { Fields } from '../../_forms/fields.ts';
import { done, type Forms } from '../../_forms/form.ts';

const page = (fields: Fields) =>
  `/developer/playground?${new URLSearchParams({ client: fields.one('clientId') })}`;

export const playgroundForms: Forms = {
  'playground-register': {
    page,
    run: async (actor, fields) => {
      const clientId = fields.one('clientId');
      const client = await readClient(actor, { clientId });
      const redirectUri = playgroundAddress();
      const redirectUris = [...new Set([...client.redirectUris, redirectUri])];
      const consequences = await previewClientChange(actor, { clientId, redirectUris });
      if (mustConfirm(consequences, fields)) return { kind: 'confirm' };
      await changeClient(actor, { clientId, redirectUris, version: fields.number('version') });
      return done(page(fields), 'redirect-added');
    },
  },
};
