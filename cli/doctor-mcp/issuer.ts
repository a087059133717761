// The second half of the walk: the authorization server's metadata (RFC 8414; MCP authorization, "Authorization Server
// Metadata Discovery"), and whether a client can do with it what it must.
import { z } from 'zod';
import { parseAs } from '#lib/kit/seal.ts';
import { issuerMetadataAddresses } from '#lib/registry/fields/well-known.ts';
import { isSafeAddress } from '../addresses.ts';
import { type CallOut, isReadableInBrowsers } from './calls.ts';
import type { Report } from './report.ts';
import type { Challenge, ResourceDocument } from './resource.ts';

const texts = z.array(z.string()).optional();
const document = z.object({
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
type IssuerDocument = z.output<typeof document>;

/** The one that a client takes: the first. */
export function issuerOf({ authorization_servers: issuers = [] }: ResourceDocument, report: Report): string {
  const [issuer, ...more] = issuers;
  if (issuer === undefined)
    return report.stop('authorization server', 'the document names none: a client has no one to ask');
  if (!isSafeAddress(issuer) || /[?#]/.test(issuer))
    return report.stop(
      'authorization server',
      `${issuer} is no issuer: it must be https, without a query or a fragment`,
    );
  const others =
    more.length === 0 ? '' : `, the first of ${issuers.length}; clients do not ask about the others`;
  report.ok('authorization server', `${issuer}${others}`);
  return issuer;
}

export async function findIssuerDocument(
  issuer: string,
  call: CallOut,
  report: Report,
): Promise<IssuerDocument> {
  const check = 'authorization server metadata';
  const tried: string[] = [];
  for (const address of issuerMetadataAddresses(issuer)) {
    const answer = await call(address);
    const found = answer.status === 200 ? parseAs(document, answer.body) : null;
    if (found && answer.status === 200) {
      const before = tried.length === 0 ? '' : `, after ${tried.join('; ')}`;
      report.ok(check, `read at ${address}${before}`);
      if (!isReadableInBrowsers(answer))
        report.warn(check, 'no Access-Control-Allow-Origin: clients in a browser can not read it');
      checkIssuer(issuer, found, report);
      return found;
    }
    if (answer.status === 200) return report.stop(check, `${address} answers with no such document`);
    tried.push(`${address} ${answer.failed ?? `answers ${answer.status}`}`);
  }
  return report.stop(check, tried.join('; '));
}

/** RFC 8414 §3.3: identical, or the metadata is of another issuer. */
function checkIssuer(wanted: string, { issuer }: IssuerDocument, report: Report): void {
  const check = 'issuer';
  if (issuer === wanted) {
    report.ok(check, 'the metadata names the very issuer that was asked');
    return;
  }
  const slash =
    issuer.replace(/\/$/, '') === wanted.replace(/\/$/, '') ? ' They differ in the slash at the end.' : '';
  report.stop(check, `the metadata is of ${issuer}, and ${wanted} was asked.${slash}`);
}

/** What the client needs next: where to go, PKCE, and who it is there. */
export function checkAbilities(metadata: IssuerDocument, report: Report): void {
  for (const name of ['authorization_endpoint', 'token_endpoint'] as const) {
    const address = metadata[name];
    if (address === undefined) report.stop('endpoints', `the metadata has no ${name}`);
    if (!isSafeAddress(address)) report.stop('endpoints', `${name} is ${address}, which is not https`);
  }
  report.ok('endpoints', 'for the person and for the token, both safe to call');
  const { response_types_supported: types, grant_types_supported: grants = ['authorization_code'] } =
    metadata;
  if (types?.includes('code') === false || !grants.includes('authorization_code'))
    report.stop('code', 'the authorization code grant is not offered, and a client has no other');
  const methods = metadata.code_challenge_methods_supported;
  if (methods === undefined)
    report.stop('PKCE', 'code_challenge_methods_supported is missing: a client must refuse to go on');
  if (!methods.includes('S256')) report.stop('PKCE', `S256 is not offered, only ${methods.join(', ')}`);
  report.ok('PKCE', 'S256');
  checkClient(metadata, report);
  if (metadata.authorization_response_iss_parameter_supported !== true)
    report.warn('iss', 'answers carry no iss (RFC 9207): a later version of MCP demands it');
}

function checkClient(metadata: IssuerDocument, report: Report): void {
  const check = 'client';
  const ways = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  if (metadata.client_id_metadata_document_supported === true)
    report.ok(check, 'an unregistered client comes with the address of its document as client_id');
  else if (metadata.registration_endpoint !== undefined)
    report.ok(
      check,
      `a client registers itself at ${metadata.registration_endpoint}, unless a token is asked for`,
    );
  else
    report.warn(
      check,
      'no client documents and no registration: only a client with a registered client_id gets further',
    );
  if (!ways.includes('none'))
    report.warn(check, `public clients, as those on a desktop are, can not use it: only ${ways.join(', ')}`);
}

/** The challenge's, or all that the resource has; then none (MCP authorization, "Scope Selection Strategy"). */
export function checkScopes(
  { scope }: Challenge,
  { scopes_supported: all }: ResourceDocument,
  { scopes_supported: known }: IssuerDocument,
  report: Report,
): void {
  const asked = scope?.split(' ').filter(Boolean) ?? all ?? [];
  const unknown = known ? asked.filter((name) => !known.includes(name)) : [];
  if (unknown.length > 0)
    report.warn(
      'scopes',
      `${unknown.join(' ')}: unknown to the authorization server, which may answer invalid_scope`,
    );
  else if (asked.length === 0) report.ok('scopes', 'a client asks for none in particular');
  else
    report.ok(
      'scopes',
      `a client asks for ${asked.join(' ')}, by the ${scope === null ? 'document' : '401'}`,
    );
}
