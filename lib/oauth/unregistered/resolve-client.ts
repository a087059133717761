// Which client an authorize request is from, where its client_id is the address of a document. With a row it is the
// row, brought up to date; without one it exists only in memory, until a person has signed in.
import { type AutoApproval, documentHost, hostMatches } from '#lib/registry/clients/unregistered.ts';
import { RegistryChanged } from '#lib/store/registry/snapshot.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { isDocumentUrl } from '../client-documents/document-url.ts';
import { ClientDocumentRefused, ClientDocumentUnavailable } from '../client-documents/errors.ts';
import { isPassing, readClientDocument } from '../client-documents/read-document.ts';
import { TemporarilyUnavailable } from '../errors/errors.ts';
import { UnidentifiedRequest } from '../errors/unidentified.ts';
import type { Issuer } from '../rules/issuer.ts';
import { UnregisteredClientRefused } from './client-refused.ts';
import { clientOf } from './document-client.ts';
import { type ClientAsker, readAtOf, refreshDocumentClient } from './refresh.ts';

/** The issuer with the client of this document among its clients, and without it where the API takes none. */
export async function withUnregisteredClient(
  issuer: Issuer,
  clientId: string | undefined,
  asker: ClientAsker,
): Promise<Issuer> {
  const unread = issuerUnread(issuer, clientId);
  if (unread !== null || clientId === undefined) return unread ?? issuer;
  const known = issuer.snapshot.clients.get(clientId);
  try {
    if (known) {
      if (await refreshDocumentClient(known, asker))
        throw new RegistryChanged('the document says something else');
      return issuer;
    }
    const document = await readClientDocument(clientId, { caller: asker.address });
    return having(issuer, [], [clientOf(document, readAtOf(document))]);
  } catch (error) {
    if (known && isPassing(error)) return issuer;
    if (error instanceof ClientDocumentRefused)
      throw new UnidentifiedRequest('agent.improper', error.message);
    if (!(error instanceof ClientDocumentUnavailable)) throw error;
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    throw new TemporarilyUnavailable(undefined, { told: 'agent.unreachable', headers });
  }
}

/** The same where no document has to be read; null: one has. UnregisteredClientRefused: its host is not listed. */
export function issuerUnread(issuer: Issuer, clientId: string | undefined): Issuer | null {
  if (clientId === undefined || !isDocumentUrl(clientId)) return issuer;
  const { snapshot, api } = issuer;
  const known = snapshot.clients.get(clientId);
  if (known && known.origin !== 'document') return issuer;
  if (api.agents === 'off') return known ? having(issuer, [clientId], []) : issuer;
  if (known?.disabled) return issuer;
  if (!isSubscribed(known, api) && !mayAsk(api, clientId)) throw new UnregisteredClientRefused('not-listed');
  return null;
}

function having(issuer: Issuer, gone: string[], clients: SnapshotClient[]): Issuer {
  const { snapshot } = issuer;
  return { ...issuer, snapshot: { ...snapshot, clients: snapshot.clients.with(gone, clients) } };
}

const isSubscribed = (client: SnapshotClient | undefined, api: SnapshotApi): boolean =>
  client?.subscriptions.some((one) => one.apiId === api.id) === true;

/** May a client of this document ask for the API at all? */
function mayAsk(api: SnapshotApi, clientId: string): boolean {
  const host = documentHost({ clientId, origin: 'document' }) ?? '';
  return (
    api.agents === 'ask' ||
    [...api.agentHosts, ...api.autoApprove.map((rule) => rule.host)].some((one) => hostMatches(one, host))
  );
}

/**
 * The rule that lets this request in. A rule that names scopes accepts requests for only those, or for no scope by
 * name.
 */
export function ruleFor(
  api: SnapshotApi,
  client: SnapshotClient,
  asked: { scopes: string[]; scopeNamed: boolean },
): AutoApproval | null {
  const host = documentHost(client);
  if (host === null) return null;
  const fits = ({ scopes }: AutoApproval) =>
    scopes.length === 0 || !asked.scopeNamed || asked.scopes.every((scope) => scopes.includes(scope));
  return api.autoApprove.find((rule) => hostMatches(rule.host, host) && fits(rule)) ?? null;
}

/** Does a rule of the API name the host of its document? Then the operator vouches for the addresses in it. */
export function isVouchedFor(api: SnapshotApi, client: SnapshotClient): boolean {
  const host = documentHost(client);
  return host !== null && api.autoApprove.some((rule) => hostMatches(rule.host, host));
}

/** Is it on the list, where there is one? What registered itself has no host that could be. */
export function isListed(api: SnapshotApi, client: SnapshotClient): boolean {
  if (api.agents !== 'listed') return true;
  const host = documentHost(client);
  return host !== null && api.agentHosts.some((one) => hostMatches(one, host));
}
