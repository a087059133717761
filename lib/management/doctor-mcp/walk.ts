// Walks from the address of an MCP server as a client does that was given nothing else (MCP authorization, 2026-07-28), up to
// where the person would be sent to sign in. It asks and reads; it registers nothing and signs nobody in.
import type { Finding } from '../doctor.ts';
import { callsFrom, isSafeAddress } from './calls.ts';
import { checkAbilities, checkScopes, findIssuerDocument, issuerOf } from './issuer.ts';
import { ClientStops, Journal } from './journal.ts';
import { askWithoutToken, findResourceDocument } from './resource.ts';

type Options = {
  /** addresses that are not public may be called, wherever the walk leads */
  privateNetwork?: boolean;
};

/** In the order of the walk; a `broken` one is the last: there a client stops. */
export async function examineMcp(
  address: string,
  { privateNetwork = false }: Options = {},
): Promise<Finding[]> {
  const journal = new Journal();
  try {
    const server = serverAt(address, journal);
    const call = callsFrom(server, privateNetwork);
    const challenge = await askWithoutToken(server, call, journal);
    const resource = await findResourceDocument(server, challenge, call, journal);
    const metadata = await findIssuerDocument(issuerOf(resource, journal), call, journal);
    checkAbilities(metadata, journal);
    checkScopes(challenge, resource, metadata, journal);
  } catch (error) {
    if (!(error instanceof ClientStops)) throw error;
  }
  return journal.findings;
}

function serverAt(address: string, journal: Journal): URL {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    return journal.stop('address', 'it is no http or https address');
  if (url.username !== '' || url.password !== '')
    return journal.stop('address', 'it holds a user name or password, which no client sends');
  url.hash = '';
  if (isSafeAddress(url.href)) journal.ok('address', url.href);
  else journal.warn('address', `${url.href} is not https: a client would send its token in the clear`);
  return url;
}
