// A document as a client: in memory, before anybody has signed in, and in the words of its row.
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import type { DocumentValues } from '#lib/store/registry/unregistered.ts';
import type { ClientDocument } from '../client-documents/document.ts';

export function valuesOf(of: ClientDocument | SnapshotClient): DocumentValues {
  const { clientId, name, confidential, applicationType, redirectUris, logoUri } = of;
  const { tokenEndpointAuthMethod, jwks, jwksUri, grantTypes } = of;
  const { requirePushedAuthorizationRequests, dpopBoundAccessTokens } = of;
  const who = { clientId, name, confidential, applicationType, redirectUris, logoUri };
  const how = { tokenEndpointAuthMethod, jwks, jwksUri, grantTypes };
  return { ...who, ...how, requirePushedAuthorizationRequests, dpopBoundAccessTokens };
}

/** The client that has no row yet, and no subscription. */
export function clientOf(document: ClientDocument, readAt: Date): SnapshotClient {
  return {
    ...valuesOf(document),
    tokenEndpointAuthMethod: document.tokenEndpointAuthMethod,
    jwks: document.jwks,
    tosUri: null,
    policyUri: null,
    brand: null,
    texts: null,
    allowedOrigins: [],
    privateUseSchemes: false,
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    backchannelLogoutSessionRequired: false,
    idTokenSignedResponseAlg: 'RS256',
    idTokenClaims: false,
    subjectType: 'public',
    sectorIdentifierUri: null,
    idJagAudiences: [],
    tokenEndpointAsAudience: false,
    refreshTokenRotation: 'always',
    defaultAcrValues: [],
    requireAuthTime: false,
    disabled: false,
    origin: 'document',
    documentReadAt: readAt.toISOString(),
    identityChangedAt: null,
    secrets: [],
    subscriptions: [],
  };
}

/** What of a client identifies it to its approver and to people who consented (draft §8.2.1). */
const IDENTITY = ['name', 'redirectUris', 'jwks', 'jwksUri'] as const;
const REST = [
  'confidential',
  'applicationType',
  'tokenEndpointAuthMethod',
  'logoUri',
  'grantTypes',
  'requirePushedAuthorizationRequests',
  'dpopBoundAccessTokens',
] as const;

export type DocumentDifference = {
  changed: ((typeof IDENTITY)[number] | (typeof REST)[number])[];
  otherIdentity: boolean;
};

/** What the document says otherwise than the row. */
export function differenceOf(
  row: Omit<DocumentValues, 'clientId'>,
  document: DocumentValues,
): DocumentDifference {
  const differs = (name: keyof typeof document & keyof typeof row) =>
    settled(row[name]) !== settled(document[name]);
  const identity = IDENTITY.filter(differs);
  return { changed: [...identity, ...REST.filter(differs)], otherIdentity: identity.length > 0 };
}

/** The order of redirect addresses and of members means nothing. */
function settled(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(settled).sort());
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return JSON.stringify(members.map(([name, member]) => [name, settled(member)]).sort());
}
