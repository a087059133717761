// The published APIs, for the pages: what developers may see without signing in.
import { plainText } from '#lib/registry/fields/display-text.ts';
import { resourceMetadataAddress } from '#lib/registry/fields/well-known.ts';
import { BUILT_IN_API } from '#lib/registry/objects/api.ts';
import { issuerHostOf } from '#lib/registry/objects/issuer-hosts.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { Snapshot, SnapshotApi, SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { type IssuerEndpoints, issuerEndpoints, issuerUrl } from '../rules/issuer.ts';
import { resourceDocumentAddress } from './resource-metadata.ts';

type NotShown =
  | 'approvers'
  | 'authMethods'
  | 'introspectionSecretHash'
  | 'agentHosts'
  | 'autoApprove'
  | 'issuerHosts'
  | 'formerIssuers'
  | 'texts';

export type PublishedApi = Omit<SnapshotApi, NotShown | 'name' | 'description' | 'scopes'> & {
  /** in English, if it is there in several languages; so with every text here */
  name: string;
  description: string;
  scopes: (Omit<SnapshotApi['scopes'][number], 'description'> & { description: string })[];
  /** protected resource metadata (RFC 9728): our document, and where clients look for it on the API's host */
  resourceMetadata: { here: string; there: string };
  issuers: ({
    method: Pick<SnapshotMethod, 'id' | 'type'> & { name: string };
    issuer: string;
    /** the same issuer on a host of its own; null: it has none */
    host: string | null;
  } & IssuerEndpoints)[];
};

export async function listPublishedApis(): Promise<PublishedApi[]> {
  const snapshot = await currentSnapshot();
  return [...snapshot.apis.values()]
    .filter((api) => api.id !== BUILT_IN_API)
    .map((api) => publish(api, snapshot));
}

export async function readPublishedApi(apiId: string): Promise<PublishedApi | null> {
  const snapshot = await currentSnapshot();
  const api = snapshot.apis.get(apiId);
  return api ? publish(api, snapshot) : null;
}

function publish(api: SnapshotApi, snapshot: Snapshot): PublishedApi {
  const {
    introspectionSecretHash: _,
    approvers: __,
    agentHosts: _hosts,
    autoApprove: _rules,
    issuerHosts: _origins,
    formerIssuers: _formers,
    texts: _texts,
    authMethods,
    ...shown
  } = api;
  const issuers = authMethods.flatMap((id) => {
    const method = snapshot.methods.get(id);
    if (!method) return [];
    const issuer = issuerUrl(id, api.id);
    const { type } = method;
    const name = plainText(method.name);
    return [
      {
        method: { id, name, type },
        issuer,
        host: issuerHostOf(api, id),
        ...issuerEndpoints({ url: issuer }),
      },
    ];
  });
  const resourceMetadata = { here: resourceDocumentAddress(api.id), there: resourceMetadataAddress(api.url) };
  const scopes = api.scopes.map((one) => ({ ...one, description: plainText(one.description) }));
  const [name, description] = [plainText(api.name), plainText(api.description)];
  return { ...shown, name, description, scopes, resourceMetadata, issuers };
}
