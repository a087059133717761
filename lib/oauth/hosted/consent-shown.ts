// What the consent page shows. Its form carries a digest of all of it, so that a yes is a yes to what was read: whatever
// the page learns to show is compared with it, and nobody has to remember to.
import { sha256 } from '#lib/kit/index.ts';
import type { AuthorizeFacts, SnapshotApi } from '#lib/store/index.ts';
import type { AuthorizeRequest } from '../authorize/request.ts';

export type ClientView = { clientId: string; name: string; logoUri: string | null };

export type ConsentShown = {
  client: ClientView;
  api: Pick<SnapshotApi, 'id' | 'name' | 'contactUri' | 'tosUri' | 'policyUri'>;
  scopes: { name: string; description: string }[];
  person: { label: string };
  /** the host, or the scheme, that the person returns to */
  returnTo: string;
};

export function consentShown(request: AuthorizeRequest, facts: AuthorizeFacts): ConsentShown {
  const { api } = request.issuer;
  const { id, name, contactUri, tosUri, policyUri } = api;
  return {
    client: clientView(request),
    api: { id, name, contactUri, tosUri, policyUri },
    scopes: api.scopes
      .filter((scope) => request.scopes.includes(scope.name))
      .map(({ name, description }) => ({ name, description })),
    person: { label: facts.label },
    returnTo: hostOf(request.redirectUri),
  };
}

export function digestOf(shown: ConsentShown): string {
  return sha256(JSON.stringify(shown)).toString('base64url');
}

export function clientView({ client }: AuthorizeRequest): ClientView {
  return { clientId: client.clientId, name: client.name, logoUri: client.logoUri };
}

function hostOf(redirectUri: string): string {
  const match = /^https?:\/\/([^/?#]+)/i.exec(redirectUri);
  return match?.[1] ?? redirectUri.split(':')[0] ?? redirectUri;
}
