// Where a person signs in for the management API of a server: its protected resource metadata (RFC 9728) name its
// issuers, and the metadata of an issuer (RFC 8414) the rest. No address of them is made up here.
import type * as openid from 'openid-client';
import { z } from 'zod';
import { parseAs } from '#lib/kit/seal.ts';
import { resourceMetadataAddress } from '#lib/registry/fields/well-known.ts';
import { isSafeAddress } from '../addresses.ts';
import { CommandFailed } from '../typed.ts';
import { inOneLine, printable } from './in-one-line.ts';

export type Issuer = { config: openid.Configuration; url: string };

export const TIMEOUT_SECONDS = 30;

const document = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).default([]),
  scopes_supported: z.array(z.string()).default([]),
});

/** The management API of a server, as tokens for it name it (RFC 8707). */
export const resourceOf = (server: string): string => `${server}/api/v1`;

/** What the server says of its management API. */
export type Resource = { issuers: string[]; scopes: string[] };

export async function readResource(server: string): Promise<Resource> {
  const own = resourceOf(server);
  const address = resourceMetadataAddress(own);
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  const answer = await fetch(address, { redirect: 'manual', signal }).catch((error: unknown) => {
    throw new CommandFailed(`${server} is not reachable: ${inOneLine(error)}`);
  });
  const found = answer.ok ? parseAs(document, await answer.text()) : null;
  if (!found)
    throw new CommandFailed(
      `${server} does not say where people sign in: ${address} answers ${answer.status}`,
    );
  // RFC 9728 §3.3: the document of another resource is not used
  if (found.resource !== own)
    throw new CommandFailed(
      `${address} is about ${printable(found.resource)}, and not about ${own}: is --server right?`,
    );
  const unsafe = found.authorization_servers.find(
    (issuer) => !isSafeAddress(issuer) || printable(issuer) !== issuer,
  );
  if (unsafe !== undefined)
    throw new CommandFailed(`${server} names the issuer ${printable(unsafe)}, which is no https address`);
  return { issuers: found.authorization_servers, scopes: found.scopes_supported };
}

/** The one of this sign-in method, or the only one. */
export function chooseIssuer(server: string, issuers: readonly string[], method: string | undefined): string {
  const methods = new Map(issuers.map((issuer) => [methodOf(issuer), issuer]));
  const [first, ...more] = issuers;
  if (first === undefined) throw new CommandFailed(`${server} has no sign-in method for its management API`);
  if (method === undefined && more.length === 0) return first;
  const chosen = method === undefined ? undefined : methods.get(method);
  if (chosen !== undefined) return chosen;
  const wrong = method === undefined ? 'several sign-in methods' : `no sign-in method ${method}`;
  throw new CommandFailed(`${server} has ${wrong}: choose one by --method ${[...methods.keys()].join(', ')}`);
}

/** Its name in the issuer's path; of an issuer with a host of its own, the host. */
export function methodOf(issuer: string): string {
  const { pathname, host } = new URL(issuer);
  return /^\/auth\/([^/]+)\//.exec(pathname)?.[1] ?? host;
}

export async function openIssuer(url: string, clientId: string): Promise<Issuer> {
  const client = await import('openid-client');
  try {
    if (!isSafeAddress(url)) throw new Error('it is not https');
    const config = await client.discovery(new URL(url), clientId, undefined, client.None(), {
      algorithm: 'oauth2',
      timeout: TIMEOUT_SECONDS,
      // on this very machine only
      execute: url.startsWith('http:') ? [client.allowInsecureRequests] : [],
    });
    const { authorization_endpoint, token_endpoint, revocation_endpoint, ...more } = config.serverMetadata();
    const { pushed_authorization_request_endpoint: par } = more;
    for (const address of [authorization_endpoint, token_endpoint, revocation_endpoint, par])
      if (address !== undefined && !isSafeAddress(address)) throw new Error(`${address} is not https`);
    return { config, url };
  } catch (error) {
    throw new CommandFailed(`the issuer ${url} can not be used: ${inOneLine(error)}`);
  }
}
