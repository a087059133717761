// The list at a client's `sector_identifier_uri` (OpenID Connect Core §8.1, Registration §5): it proves that the client
// is of that sector. Asked for when a person saves a client, and never within a transaction. The configuration file and
// the operator answer for what they write, and may have no network (docs/decisions/0022).
import { z } from 'zod';
import { parseAs } from '#lib/kit/seal.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { type ClientValues, checkedClient, client } from '#lib/registry/clients/client.ts';
import type { Change } from '#lib/registry/fields/definition.ts';
import { settings } from '#lib/settings/settings.ts';
import { withChange } from '../core/changes.ts';
import type { Context } from '../core/operation.ts';
import { type Actor, isHost } from '../core/policy.ts';
import { countEdit } from '../core/quotas.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, parseInput, stale } from '../core/refused.ts';
import { reachClient } from './client-access.ts';

type InSector = Pick<ClientValues, 'sectorIdentifierUri' | 'redirectUris'>;

/** Refused where the list of a new client does not name every redirect address. */
export async function proveSector(actor: Actor, after: InSector): Promise<void> {
  if (!isHost(actor) && after.sectorIdentifierUri !== null)
    await askList(actor, after.sectorIdentifierUri, after.redirectUris);
}

/**
 * The same for a change, as the client is now. Gives the check for the transaction that saves it: stale, where what is
 * saved in the end is not what was proved.
 */
export async function proveChangedSector(
  context: Context,
  change: Change<InSector> & { clientId: string },
): Promise<(before: InSector, after: InSector) => void> {
  const { actor } = context;
  const { clientId, sectorIdentifierUri, redirectUris } = change;
  if (isHost(actor) || (sectorIdentifierUri ?? redirectUris) === undefined) return () => {};
  const shown = await reachClient(context, clientId, 'manage');
  const wanted = parseInput(checkedClient, withChange(client, shown, change));
  const address = newlyNamed(shown, wanted);
  if (address !== null) await askList(actor, address, wanted.redirectUris);
  return (before, after) => {
    const needed = newlyNamed(before, after);
    const proved = needed === address && after.redirectUris.every((uri) => wanted.redirectUris.includes(uri));
    if (needed !== null && !proved) throw stale(clientId);
  };
}

/** The address of the list that must name what `before` had not; null: nothing is new. */
function newlyNamed(before: InSector, { sectorIdentifierUri, redirectUris }: InSector): string | null {
  const known = before.sectorIdentifierUri === sectorIdentifierUri ? before.redirectUris : null;
  return known !== null && redirectUris.every((uri) => known.includes(uri)) ? null : sectorIdentifierUri;
}

const list = z.array(z.string());

async function askList(actor: Actor, address: string, redirectUris: readonly string[]): Promise<void> {
  // a call to an address of the developer's choice: so many as they may make changes
  await countEdit(actor);
  const fault = await listFault(address, redirectUris);
  if (fault === null) return;
  throw faulty([faultAt('sectorIdentifierUri', 'client.wrong_sector', { why: fault })]);
}

/** What is wrong with the list, after the name of the field; null: nothing. Its content is not quoted. */
async function listFault(address: string, redirectUris: readonly string[]): Promise<string | null> {
  try {
    const call = outboundFetch({ allowPrivateNetwork: settings().clientDocumentsPrivateNetwork });
    const answer = await call(address, { headers: { accept: 'application/json' } });
    if (answer.status !== 200)
      return `answers ${answer.status}: a list of redirect addresses must stand there`;
    const listed = parseAs(list, await answer.text());
    if (listed === null) return 'must give a JSON list of redirect addresses, and nothing else';
    const missing = redirectUris.find((uri) => !listed.includes(uri));
    return missing === undefined ? null : `must list every redirect address: ${missing} is not there`;
  } catch (error) {
    if (error instanceof OutboundFailed) return `could not be read: ${error.message}`;
    throw error;
  }
}
