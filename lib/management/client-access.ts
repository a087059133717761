// Who may see or change which client. Another's is not found, and that is noted (case AD-06).
import {
  BUILT_IN_API,
  type ClientRow,
  type Db,
  findClient,
  selectSubscriptionsOf,
} from '#lib/store/index.ts';
import { type Actor, idOf, mayDo, requireAction, requireRecent } from './policy.ts';
import { originFault, redirectUriFault } from './redirect-rules.ts';
import { type Fault, Refused } from './refused.ts';
import { clientId as clientIdRule } from './registry-rules.ts';

export type ClientKind = ClientRow['kind'];
const KINDS: readonly string[] = ['confidential', 'browser', 'native'];

export async function reachClient(
  db: Db,
  actor: Actor,
  clientId: string,
  to: 'see' | 'manage',
): Promise<ClientRow> {
  const all = mayDo(actor, `clients.${to}-all`);
  if (!all) requireAction(actor, `clients.${to}-own`);
  const client = await findClient(db, clientId, to === 'manage' ? 'lock' : 'look');
  const reached = client !== null && (all || (client.ownerId !== null && client.ownerId === idOf(actor)));
  if (reached) return client;
  throw new Refused(`there is no client ${clientId}${all ? '' : ' of yours'}`, 'not-found', {
    foreign: client !== null,
  });
}

/** Whoever speaks for a client that is trusted, or may use the management API, has the power that goes with that. */
export async function requireRecentForPower(db: Db, actor: Actor, clientId: string): Promise<void> {
  const rows = await selectSubscriptionsOf(db, { clientId });
  const open = rows.filter(({ state }) => state !== 'rejected' && state !== 'revoked');
  if (open.some(({ trusted, api }) => trusted || api === BUILT_IN_API)) requireRecent(actor);
}

/** What of a client can be wrong, before anything is asked of the database. */
export type ClientValues = {
  clientId?: string;
  name: string;
  kind: string;
  redirectUris: readonly string[];
  allowedOrigins: readonly string[];
  logoUri: string | null;
};

const MAX_ADDRESS_BYTES = 32_768;

function addressBytes({ redirectUris, allowedOrigins, logoUri }: ClientValues): number {
  return Buffer.byteLength([...redirectUris, ...allowedOrigins, logoUri ?? ''].join(''));
}

export function clientFaults(client: ClientValues): Fault[] {
  const faults: Fault[] = [];
  const fault = (field: string, message: string) => faults.push({ field, message });
  const idFault = clientIdRule.optional().safeParse(client.clientId).error?.issues[0]?.message;
  if (idFault !== undefined) fault('clientId', `a client id ${idFault}`);
  if (client.name.trim() === '' || client.name.length > 200) {
    fault('name', 'a client name has 1 to 200 characters');
  }
  if (!KINDS.includes(client.kind)) fault('kind', 'the type is confidential, browser or native');
  const type =
    client.kind === 'native' || client.kind === 'browser' ? (client.kind as 'native' | 'browser') : 'web';
  if (client.redirectUris.length > 100) fault('redirectUris', 'at most 100 redirect URIs');
  for (const [at, uri] of client.redirectUris.entries()) {
    const found = redirectUriFault(uri, type);
    if (found) fault(`redirectUris.${at}`, `redirect URI ${uri}: ${found}`);
    else if (client.redirectUris.indexOf(uri) < at) fault(`redirectUris.${at}`, `${uri} stands here twice`);
  }
  if (client.allowedOrigins.length > 100) fault('allowedOrigins', 'at most 100 origins');
  if (addressBytes(client) > MAX_ADDRESS_BYTES) {
    fault('redirectUris', `a client’s addresses have at most ${MAX_ADDRESS_BYTES} bytes together`);
  }
  for (const [at, origin] of client.allowedOrigins.entries()) {
    const found = originFault(origin);
    if (found) fault(`allowedOrigins.${at}`, `origin ${origin}: ${found}`);
  }
  if (client.logoUri !== null && !/^https:\/\/[\x21-\x7e]{1,1990}$/.test(client.logoUri)) {
    fault('logoUri', 'a logo has an https address');
  }
  return faults;
}
