// The first half of the walk: the MCP server's answer without a token, and its protected resource metadata (RFC 9728;
// MCP authorization, "Protected Resource Metadata Discovery Requirements").
import { z } from 'zod';
import { parseAs } from '#lib/kit/seal.ts';
import { VERSION } from '#lib/kit/version.ts';
import { resourceMetadataAddress } from '#lib/registry/fields/well-known.ts';
import { isSafeAddress } from '../addresses.ts';
import { type CallOut, isReadableInBrowsers } from './calls.ts';
import type { Report } from './report.ts';

/** Of the Bearer challenge of a 401 (RFC 6750 §3, RFC 9728 §5.1). */
export type Challenge = { resourceMetadata: string | null; scope: string | null };

const NO_CHALLENGE: Challenge = { resourceMetadata: null, scope: null };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'gatehouse-doctor', version: VERSION },
  },
};

export async function askWithoutToken(server: URL, call: CallOut, report: Report): Promise<Challenge> {
  const check = 'call without a token';
  const answer = await call(server.href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(INITIALIZE),
  });
  if (answer.status === null) return report.stop(check, `${server.href} gives no answer: ${answer.failed}`);
  if (answer.status >= 200 && answer.status < 300) {
    report.warn(
      check,
      `it answers ${answer.status}: a client starts without a token, and asks for one only once something is 401`,
    );
    return NO_CHALLENGE;
  }
  if (answer.status !== 401)
    return report.stop(check, `it answers ${answer.status}; only a 401 makes a client ask for a token`);
  const challenge = challengeIn(answer.headers.get('www-authenticate'));
  if (challenge === null) {
    report.warn(check, '401 without `WWW-Authenticate: Bearer`: a client has to guess where the metadata is');
    return NO_CHALLENGE;
  }
  const named = challenge.resourceMetadata === null ? 'names no metadata' : 'names its metadata';
  report.ok(check, `401, which ${named}`);
  return challenge;
}

/** Null: no Bearer challenge. */
export function challengeIn(header: string | null): Challenge | null {
  const bearer = /(?:^|,)\s*bearer(?=\s|,|$)(.*)$/is.exec(header ?? '')?.[1];
  if (bearer === undefined) return null;
  const parameter = (name: string) => {
    const found = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(
      bearer,
    );
    return found ? (found[1]?.replace(/\\(.)/g, '$1') ?? found[2] ?? null) : null;
  };
  return { resourceMetadata: parameter('resource_metadata'), scope: parameter('scope') };
}

const document = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).optional(),
  scopes_supported: z.array(z.string()).optional(),
  bearer_methods_supported: z.array(z.string()).optional(),
});
export type ResourceDocument = z.output<typeof document>;

/** By the address of the 401, or by the two that a client makes of the server's own, the one with the path first. */
export async function findResourceDocument(
  server: URL,
  { resourceMetadata: named }: Challenge,
  call: CallOut,
  report: Report,
): Promise<ResourceDocument> {
  const check = 'resource metadata';
  if (named !== null && !isSafeAddress(named))
    return report.stop(check, `the 401 names ${named}, which is no address that a client calls`);
  const made = [resourceMetadataAddress(server.href), resourceMetadataAddress(server.origin)];
  const tried: string[] = [];
  for (const address of named === null ? new Set(made) : [named]) {
    const answer = await call(address);
    const found = answer.status === 200 ? parseAs(document, answer.body) : null;
    if (found && answer.status === 200) {
      report.ok(check, `read at ${address}`);
      if (!isReadableInBrowsers(answer))
        report.warn(check, 'no Access-Control-Allow-Origin: clients in a browser can not read it');
      checkResource(server, found, named !== null || address === made[0], report);
      return found;
    }
    const why = answer.status === 200 ? 'is no such document' : (answer.failed ?? `answers ${answer.status}`);
    tried.push(`${address} ${why}`);
  }
  return report.stop(check, `${tried.join('; ')}: a client learns of no authorization server`);
}

/** RFC 9728 §3.3 wants the very address; what clients take is the same origin and a path above. */
function checkResource(server: URL, { resource }: ResourceDocument, exact: boolean, report: Report): void {
  const check = 'resource';
  const own = URL.parse(resource);
  const above = (path: string) => (path.endsWith('/') ? path : `${path}/`);
  if (own?.origin !== server.origin || !above(server.pathname).startsWith(above(own.pathname)))
    report.stop(check, `the document is for ${resource}, and the client was given ${server.href}`);
  if (own.href === server.href || (!exact && own.pathname === '/')) report.ok(check, `it is for ${resource}`);
  else
    report.warn(
      check,
      `it is for ${resource}, and the client was given ${server.href}: many clients take that, a strict one stops`,
    );
}
