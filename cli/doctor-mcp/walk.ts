// Walks from the address of an MCP server as a client does that was given nothing else (MCP authorization, 2026-07-28),
// up to where the person would be sent to sign in. It only reads: it registers nothing and signs no one in.
import type { Finding } from '#lib/management/service/doctor-finding.ts';
import { isSafeAddress } from '../addresses.ts';
import { callsFrom } from './calls.ts';
import { checkAbilities, checkScopes, findIssuerDocument, issuerOf } from './issuer.ts';
import { ClientStops, Report } from './report.ts';
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
  const report = new Report();
  try {
    const server = serverAt(address, report);
    const call = callsFrom(server, privateNetwork);
    const challenge = await askWithoutToken(server, call, report);
    const resource = await findResourceDocument(server, challenge, call, report);
    const metadata = await findIssuerDocument(issuerOf(resource, report), call, report);
    checkAbilities(metadata, report);
    checkScopes(challenge, resource, metadata, report);
  } catch (error) {
    if (!(error instanceof ClientStops)) throw error;
  }
  return report.findings;
}

function serverAt(address: string, report: Report): URL {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    return report.stop('address', 'it is no http or https address');
  if (url.username !== '' || url.password !== '')
    return report.stop('address', 'it holds a user name or password, which no client sends');
  url.hash = '';
  if (isSafeAddress(url.href)) report.ok('address', url.href);
  else report.warn('address', `${url.href} is not https: a client would send its token in the clear`);
  return url;
}
