// Sectors: clients of one sector know a person by the same pairwise `sub`, clients of different ones by different ones
// (OpenID Connect Core §8.1). Who can show that a host is theirs is of its sector; everybody else is a sector of their
// own.
import { isLocalHost } from './redirect-rules.ts';

type Addresses = { sectorIdentifierUri: string | null; redirectUris: readonly string[] };

/**
 * The hosts of the redirect addresses; null stands for those of a phone or a machine of one's own, which anybody may
 * register.
 */
function hostsOf(redirectUris: readonly string[]): Set<string | null> {
  return new Set(
    redirectUris.map((uri) => {
      const url = URL.parse(uri);
      return url && /^https?:$/.test(url.protocol) && !isLocalHost(url) ? url.hostname : null;
    }),
  );
}

/** Of the first redirect address on the web; null: there is none. */
export const webHost = (redirectUris: readonly string[]): string | null =>
  [...hostsOf(redirectUris)].find((host) => host !== null) ?? null;

/** Names the sector. A client whose addresses are not of one host, and who names none, is a sector of its own. */
export function sectorOf({
  clientId,
  sectorIdentifierUri,
  redirectUris,
}: Addresses & { clientId: string }): string {
  if (sectorIdentifierUri !== null) return `host ${new URL(sectorIdentifierUri).hostname}`;
  const [host, ...more] = hostsOf(redirectUris);
  return host && more.length === 0 ? `host ${host}` : `client ${clientId}`;
}

/** What is wrong with the sector of a client that wants pairwise subjects; null: nothing. */
export function sectorFault({ sectorIdentifierUri, redirectUris }: Addresses): string | null {
  const hosts = hostsOf(redirectUris);
  if (sectorIdentifierUri !== null || hosts.size < 2) return null;
  const named = [...hosts].map((host) => host ?? 'a device');
  return `is missing: pairwise subjects need one sector, and the redirect addresses are of ${named.slice(0, 3).join(', ')}${named.length > 3 ? ' and others' : ''}`;
}
