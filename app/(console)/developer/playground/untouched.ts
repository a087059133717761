// Applications that the playground does not change: an approval and a consent belong to the client with its redirect
// addresses, so a new address ends both.
import type { Actor } from '#lib/management/core/policy.ts';
import { previewClientChange } from '#lib/management/registry/client-change.ts';
import { previewClientDisabling } from '#lib/management/registry/client-deletion.ts';
import type { ClientDetail } from '#lib/management/registry/clients.ts';
import { playgroundAddress } from '../../_clients/redirect-addresses.tsx';

export const withPlayground = ({ redirectUris }: ClientDetail): string[] => [
  ...new Set([...redirectUris, playgroundAddress()]),
];

/**
 * Why the playground adds no redirect address to this client: `approval`, an approved subscription would wait for
 * approval again; `used`, several users have tokens of it. Null: the address may be added.
 */
export async function reasonToLeave(actor: Actor, client: ClientDetail): Promise<'approval' | 'used' | null> {
  const { clientId } = client;
  const redirectUris = withPlayground(client);
  const { returnsToPending } = await previewClientChange(actor, { clientId, redirectUris });
  if (returnsToPending.length > 0) return 'approval';
  const { people } = await previewClientDisabling(actor, { clientId });
  return people > 1 ? 'used' : null;
}
