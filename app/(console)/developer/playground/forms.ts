// Registers the address of the playground as redirect URI, except for applications that the playground does not
// change.

import {
  type ClientDetail,
  changeClient,
  previewClientChange,
  previewClientDisabling,
  readClient,
} from '#lib/catalogue/clients/operations.ts';
import { english } from '#lib/language/message.ts';
import type { Actor } from '#lib/management/policy.ts';
import { type Forms, mustConfirm, redirectAfter } from '../../_kit/console-form.ts';
import type { Fields } from '../../_kit/posted.ts';
import { playgroundAddress } from '../../_subjects/client-forms.tsx';

// Applications that the playground does not change: approval and consent cover the redirect URIs of the
// client, so a new redirect URI would invalidate both.

export const withPlayground = ({ redirectUris }: ClientDetail): string[] => [
  ...new Set([...redirectUris, playgroundAddress()]),
];

/**
 * Reason why the playground adds no redirect address to this client. `approval`: an approved subscription would
 * return to pending. `used`: several users have tokens of the client. Null: the address can be added.
 */
export async function reasonToLeave(actor: Actor, client: ClientDetail): Promise<'approval' | 'used' | null> {
  const { clientId } = client;
  const redirectUris = withPlayground(client);
  const { returnsToPending } = await previewClientChange(actor, { clientId, redirectUris });
  if (returnsToPending.length > 0) return 'approval';
  const { people } = await previewClientDisabling(actor, { clientId });
  return people > 1 ? 'used' : null;
}

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
          told: english('The playground does not change this application, because other people rely on it.'),
        };
      const redirectUris = withPlayground(client);
      const consequences = await previewClientChange(actor, { clientId, redirectUris });
      if (mustConfirm(consequences, fields)) return { kind: 'confirm' };
      await changeClient(actor, { clientId, redirectUris, version: fields.number('version') });
      return redirectAfter(page(fields), 'redirect-added');
    },
  },
};
