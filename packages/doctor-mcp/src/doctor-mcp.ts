// Acts like an MCP client without prior knowledge (MCP authorization, 2026-07-28), from the URL of the server to the
// sign-in of a user. Reports each step.
import { z } from 'zod';
import { isLoopbackHost, isSafeAddress } from '../../../lib/kit/loopback.ts';
import { parseAs } from '../../../lib/kit/seal.ts';
import { VERSION } from '../../../lib/kit/version.ts';
import { OutboundFailed } from '../../../lib/outbound/failed.ts';
import { outboundFetch } from '../../../lib/outbound/fetch.ts';
import { issuerMetadataAddresses, resourceMetadataAddress } from '../../../lib/registry/well-known.ts';

// Findings about an MCP client's discovery, step by step. The check ends at the step at which a client would have to
// stop.

/** Result of one check. `broken`: a client would stop at this step. */
export type Finding = { check: string; state: 'ok' | 'warning' | 'broken'; detail: string };

/** Thrown if a client would have to stop. The report contains the reason. */
class ClientStops extends Error {
  override name = 'ClientStops';
}

const MAX_LENGTH = 600;

class Report {
  readonly findings: Finding[] = [];

  ok(check: string, detail: string): void {
    this.#note(check, 'ok', detail);
  }

  /** Reports a warning: some clients continue at this step, but others may fail. */
  warn(check: string, detail: string): void {
    this.#note(check, 'warning', detail);
  }

  stop(check: string, detail: string): never {
    this.#note(check, 'broken', detail);
    throw new ClientStops(detail);
  }

  /**
   * Adds a finding. Removes control characters, because details quote remote documents and are printed to a terminal.
   */
  #note(check: string, state: Finding['state'], detail: string): void {
    const plain = detail.replace(/\p{C}/gu, '?');
    this.findings.push({
      check,
      state,
      detail: plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH)}…` : plain,
    });
  }
}

// HTTP calls of the check. Remote documents choose the URLs, so the check calls only public addresses with https. It
// calls this machine only if the operator typed a local address or set `privateNetwork`.

/** Origin of an MCP client that runs in a browser. CORS headers of the documents must allow this origin. */
const BROWSER = 'http://localhost:6274';

/** Result of a call. `failed`: the reason why there is no response. */
type Called =
  | { status: number; headers: Headers; body: string; failed: null }
  | { status: null; failed: string };
type CallOut = (
  url: string,
  init?: { method: 'POST'; headers: Record<string, string>; body: string },
) => Promise<Called>;

function callsFrom(server: URL, privateNetwork: boolean): CallOut {
  const fromHere = isLoopbackHost(server.hostname);
  return async (address, init) => {
    const here = fromHere && isLoopbackHost(URL.parse(address)?.hostname ?? '');
    const call = outboundFetch({ allowPrivateNetwork: privateNetwork || here });
    try {
      const headers = { accept: 'application/json', origin: BROWSER, ...init?.headers };
      const answer = await call(address, { ...init, headers });
      return { status: answer.status, headers: answer.headers, body: await answer.text(), failed: null };
    } catch (error) {
      return { status: null, failed: wordsFor(error) };
    }
  };
}

function wordsFor(error: unknown): string {
  if (!(error instanceof OutboundFailed))
    return error instanceof TypeError ? 'it is not an address' : String(error);
  const code = (error.cause as { code?: string } | undefined)?.code;
  const isLocalRefusal = error.reason === 'private-address' || error.reason === 'insecure';
  return `${error.message}${code ? ` (${code})` : ''}${isLocalRefusal ? '; --private-network lets this command call it' : ''}`;
}

function isReadableInBrowsers({ headers }: { headers: Headers }): boolean {
  return ['*', BROWSER].includes(headers.get('access-control-allow-origin') ?? '');
}

// First half of the check: the response of the MCP server to a request without a token, and its protected resource
// metadata (RFC 9728; MCP authorization, "Protected Resource Metadata Discovery Requirements").

/** Parameters of the Bearer challenge in a 401 response (RFC 6750 §3, RFC 9728 §5.1). */
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

async function askWithoutToken(server: URL, call: CallOut, report: Report): Promise<Challenge> {
  const check = 'call without a token';
  const answer = await call(server.href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(INITIALIZE),
  });
  if (answer.status === null) return report.stop(check, `${server.href} does not respond: ${answer.failed}`);
  if (answer.status >= 200 && answer.status < 300) {
    report.warn(
      check,
      `it responds with ${answer.status}: a client starts without a token, and requests one only after a 401`,
    );
    return NO_CHALLENGE;
  }
  if (answer.status !== 401)
    return report.stop(
      check,
      `it responds with ${answer.status}, but only a 401 makes a client request a token`,
    );
  const challenge = challengeIn(answer.headers.get('www-authenticate'));
  if (challenge === null) {
    report.warn(
      check,
      '401 without `WWW-Authenticate: Bearer`: a client must guess the address of the metadata',
    );
    return NO_CHALLENGE;
  }
  const named =
    challenge.resourceMetadata === null ? 'contains no metadata address' : 'contains the metadata address';
  report.ok(check, `401, which ${named}`);
  return challenge;
}

/** Parses the Bearer challenge. Returns null if the header contains none. */
export function challengeIn(header: string | null): Challenge | null {
  const bearer = /(?:^|,)\s*bearer(?=\s|,|$)(.*)$/is.exec(header ?? '')?.[1];
  if (bearer === undefined) return null;
  const parameter = (name: string) => {
    const match = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(
      bearer,
    );
    return match ? (match[1]?.replace(/\\(.)/g, '$1') ?? match[2] ?? null) : null;
  };
  return { resourceMetadata: parameter('resource_metadata'), scope: parameter('scope') };
}

const resourceDocument = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).optional(),
  scopes_supported: z.array(z.string()).optional(),
  bearer_methods_supported: z.array(z.string()).optional(),
});
type ResourceDocument = z.output<typeof resourceDocument>;

/**
 * Uses the metadata URL in the 401 response. Without one, tries two well-known URLs of the server, first the URL that
 * includes the server's path.
 */
async function findResourceDocument(
  server: URL,
  { resourceMetadata: named }: Challenge,
  call: CallOut,
  report: Report,
): Promise<ResourceDocument> {
  const check = 'resource metadata';
  if (named !== null && !isSafeAddress(named))
    return report.stop(check, `the 401 contains ${named}, which is not an address that a client calls`);
  const addresses = [resourceMetadataAddress(server.href), resourceMetadataAddress(server.origin)];
  const tried: string[] = [];
  for (const address of named === null ? new Set(addresses) : [named]) {
    const answer = await call(address);
    const metadata = answer.status === 200 ? parseAs(resourceDocument, answer.body) : null;
    if (metadata && answer.status === 200) {
      report.ok(check, `read at ${address}`);
      if (!isReadableInBrowsers(answer))
        report.warn(check, 'no Access-Control-Allow-Origin: clients in a browser cannot read it');
      checkResource(server, metadata, named !== null || address === addresses[0], report);
      return metadata;
    }
    const why =
      answer.status === 200 ? 'returns no such document' : (answer.failed ?? `answers ${answer.status}`);
    tried.push(`${address} ${why}`);
  }
  return report.stop(check, `${tried.join('; ')}: a client finds no authorization server`);
}

/** RFC 9728 §3.3 requires the exact address. Clients also accept the same origin with a parent path. */
function checkResource(server: URL, { resource }: ResourceDocument, exact: boolean, report: Report): void {
  const check = 'resource';
  const url = URL.parse(resource);
  const above = (path: string) => (path.endsWith('/') ? path : `${path}/`);
  if (url?.origin !== server.origin || !above(server.pathname).startsWith(above(url.pathname)))
    report.stop(check, `the document is for ${resource}, but the client was configured with ${server.href}`);
  if (url.href === server.href || (!exact && url.pathname === '/')) report.ok(check, `it is for ${resource}`);
  else
    report.warn(
      check,
      `it is for ${resource}, but the client was configured with ${server.href}: many clients accept that, strict ones stop`,
    );
}

// Second half of the check: the authorization server's metadata (RFC 8414; MCP authorization, "Authorization Server
// Metadata Discovery"), and the requirements of clients.

const texts = z.array(z.string()).optional();
const issuerDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string().optional(),
  token_endpoint: z.string().optional(),
  registration_endpoint: z.string().optional(),
  response_types_supported: texts,
  grant_types_supported: texts,
  code_challenge_methods_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  scopes_supported: texts,
  client_id_metadata_document_supported: z.boolean().optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
type IssuerDocument = z.output<typeof issuerDocument>;

/** Returns the first issuer, because clients use the first. */
function issuerOf({ authorization_servers: issuers = [] }: ResourceDocument, report: Report): string {
  const [issuer, ...more] = issuers;
  if (issuer === undefined)
    return report.stop('authorization server', 'the document lists none, so a client cannot continue');
  if (!isSafeAddress(issuer) || /[?#]/.test(issuer))
    return report.stop(
      'authorization server',
      `${issuer} is not an issuer: it must be https, without a query or a fragment`,
    );
  const others = more.length === 0 ? '' : `, the first of ${issuers.length}; clients ignore the others`;
  report.ok('authorization server', `${issuer}${others}`);
  return issuer;
}

async function findIssuerDocument(issuer: string, call: CallOut, report: Report): Promise<IssuerDocument> {
  const check = 'authorization server metadata';
  const tried: string[] = [];
  for (const address of issuerMetadataAddresses(issuer)) {
    const answer = await call(address);
    const metadata = answer.status === 200 ? parseAs(issuerDocument, answer.body) : null;
    if (metadata && answer.status === 200) {
      const before = tried.length === 0 ? '' : `, after ${tried.join('; ')}`;
      report.ok(check, `read at ${address}${before}`);
      if (!isReadableInBrowsers(answer))
        report.warn(check, 'no Access-Control-Allow-Origin: clients in a browser cannot read it');
      checkIssuer(issuer, metadata, report);
      return metadata;
    }
    if (answer.status === 200) return report.stop(check, `${address} returns no such document`);
    tried.push(`${address} ${answer.failed ?? `answers ${answer.status}`}`);
  }
  return report.stop(check, tried.join('; '));
}

/** Checks that the issuer is identical (RFC 8414 §3.3). Otherwise the metadata belongs to another issuer. */
function checkIssuer(wanted: string, { issuer }: IssuerDocument, report: Report): void {
  const check = 'issuer';
  if (issuer === wanted) {
    report.ok(check, 'the metadata has the requested issuer');
    return;
  }
  const slash =
    issuer.replace(/\/$/, '') === wanted.replace(/\/$/, '') ? ' They differ in the slash at the end.' : '';
  report.stop(check, `the metadata is for ${issuer}, but ${wanted} was requested.${slash}`);
}

/** Checks what a client requires: endpoints, PKCE, client registration. */
function checkAbilities(metadata: IssuerDocument, report: Report): void {
  for (const name of ['authorization_endpoint', 'token_endpoint'] as const) {
    const address = metadata[name];
    if (address === undefined) report.stop('endpoints', `the metadata has no ${name}`);
    if (!isSafeAddress(address)) report.stop('endpoints', `${name} is ${address}, which is not https`);
  }
  report.ok('endpoints', 'for the person and for the token, both with https');
  const { response_types_supported: types, grant_types_supported: grants = ['authorization_code'] } =
    metadata;
  if (types?.includes('code') === false || !grants.includes('authorization_code'))
    report.stop('code', 'the authorization code grant is not offered, and clients use no other');
  const methods = metadata.code_challenge_methods_supported;
  if (methods === undefined)
    report.stop('PKCE', 'code_challenge_methods_supported is missing: a client must stop');
  if (!methods.includes('S256')) report.stop('PKCE', `S256 is not offered, only ${methods.join(', ')}`);
  report.ok('PKCE', 'S256');
  checkClient(metadata, report);
  if (metadata.authorization_response_iss_parameter_supported !== true)
    report.warn('iss', 'responses contain no iss (RFC 9207), which a later version of MCP requires');
}

function checkClient(metadata: IssuerDocument, report: Report): void {
  const check = 'client';
  const ways = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  if (metadata.client_id_metadata_document_supported === true)
    report.ok(check, 'an unregistered client uses the address of its document as client_id');
  else if (metadata.registration_endpoint !== undefined)
    report.ok(
      check,
      `a client registers itself at ${metadata.registration_endpoint}, unless a token is required`,
    );
  else
    report.warn(
      check,
      'no client documents and no registration: only a client with a registered client_id can continue',
    );
  if (!ways.includes('none'))
    report.warn(
      check,
      `public clients, such as desktop applications, cannot use it: only ${ways.join(', ')}`,
    );
}

/**
 * Checks the scopes that a client requests: scopes of the challenge, otherwise scopes of the resource, otherwise
 * none (MCP authorization, "Scope Selection Strategy").
 */
function checkScopes(
  { scope }: Challenge,
  { scopes_supported: all }: ResourceDocument,
  { scopes_supported: known }: IssuerDocument,
  report: Report,
): void {
  const requestedScopes = scope?.split(' ').filter(Boolean) ?? all ?? [];
  const unknown = known ? requestedScopes.filter((name) => !known.includes(name)) : [];
  if (unknown.length > 0)
    report.warn(
      'scopes',
      `${unknown.join(' ')}: unknown to the authorization server, which may return invalid_scope`,
    );
  else if (requestedScopes.length === 0) report.ok('scopes', 'a client requests no specific scopes');
  else
    report.ok(
      'scopes',
      `a client requests ${requestedScopes.join(' ')}, from the ${scope === null ? 'document' : '401'}`,
    );
}

type Options = {
  /** allows calls to addresses in private networks */
  privateNetwork?: boolean;
};

/**
 * Runs all checks. Returns the findings in order. A `broken` finding is always last, because a client stops there.
 */
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
    return report.stop('address', 'it is not an http or https address');
  if (url.username !== '' || url.password !== '')
    return report.stop('address', 'it contains a user name or password, which clients do not send');
  url.hash = '';
  if (isSafeAddress(url.href)) report.ok('address', url.href);
  else report.warn('address', `${url.href} is not https: a client would send its token unencrypted`);
  return url;
}
