// What the consent page shows. Its form has a digest of all of it, so that a yes is a yes to what was read; everything
// on the page is part of the digest.
import { sha256 } from '#lib/kit/random.ts';
import type { Plain } from '#lib/language/message.ts';
import type { Shown } from '#lib/language/shown.ts';
import type { Words } from '#lib/language/words.ts';
import { shownBrand, type Wearer } from '#lib/registry/brand/brand.ts';
import type { BrandColours } from '#lib/registry/brand/brand-colours.ts';
import { returnHost } from '#lib/registry/clients/redirect-rules.ts';
import { documentHost, returnsToLoopbackOnly } from '#lib/registry/clients/unregistered.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import { OPENID_SCOPES } from '#lib/registry/objects/openid-scopes.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { logoAddress } from '../client-documents/logo.ts';
import { pageColours } from './page-brand.ts';

export type ClientView = {
  clientId: string;
  name: DisplayText;
  logoUri: string | null;
  /** of the document that says who it is; null: it was registered */
  host: string | null;
  tosUri: string | null;
  policyUri: string | null;
  contactUri: null;
  /** of the page; null: our own */
  colours: BrandColours | null;
};

/** Where people read about the API, and what it looks like. */
export type ApiView = Pick<SnapshotApi, 'id' | 'name' | 'contactUri' | 'tosUri' | 'policyUri'> & {
  logo: string | null;
};

/** `code`: of a scope of ours, which pages have in every language. */
export type ScopeShown = { name: string; description: DisplayText; code?: Plain };

export type ConsentShown = {
  client: ClientView;
  api: ApiView;
  scopes: ScopeShown[];
  person: { label: string };
  /** the host, or the scheme, that the person returns to */
  returnTo: string;
  /** it returns only to the person's own machine, where any program may be it */
  onlyHere: boolean;
};

/** `label`: how the page names the person. */
export function consentShown(request: AuthorizeRequest, label: string): ConsentShown {
  const { api } = request.issuer;
  return {
    client: clientView(request),
    api: apiView(api),
    scopes: scopesShown(request),
    person: { label },
    returnTo: returnHost(request.redirectUri),
    onlyHere: request.client.origin !== null && returnsToLoopbackOnly(request.client.redirectUris),
  };
}

/** Each scope that is asked for, in the words of people. */
export const scopesShown = ({
  issuer: { api },
  consentScopes,
}: {
  issuer: { api: Pick<SnapshotApi, 'scopes'> };
  consentScopes: readonly string[];
}): ConsentShown['scopes'] =>
  [...OPENID_SCOPES.map((scope) => ({ ...scope, code: CODES[scope.name] })), ...api.scopes]
    .filter((scope) => consentScopes.includes(scope.name))
    .map(({ name, description, ...own }) => ({
      name,
      description,
      ...('code' in own && { code: own.code }),
    }));

const CODES = {
  openid: 'consent.scope_openid',
  profile: 'consent.scope_profile',
  email: 'consent.scope_email',
  address: 'consent.scope_address',
  phone: 'consent.scope_phone',
  offline_access: 'consent.scope_offline_access',
} as const satisfies Record<(typeof OPENID_SCOPES)[number]['name'], Plain>;

/** What a page says of it. */
export function scopeText({ name, description, code }: ScopeShown, words: Words): Shown {
  if (code !== undefined) return { text: words.t(code) };
  const shown = words.shown(description);
  return { ...shown, text: shown.text || name };
}

export function digestOf(shown: ConsentShown): string {
  return sha256(JSON.stringify(shown)).toString('base64url');
}

type Asking = {
  client: Wearer & Pick<SnapshotClient, 'clientId' | 'name' | 'logoUri' | 'tosUri' | 'policyUri' | 'origin'>;
  issuer: { api: Pick<SnapshotApi, 'id' | 'brand'> };
};

export function clientView({ client, issuer: { api } }: Asking): ClientView {
  const { clientId, name, tosUri, policyUri } = client;
  return {
    clientId,
    name,
    logoUri: shownBrand(client, api.id)?.logo ?? logoAddress(client),
    host: documentHost(client),
    tosUri,
    policyUri,
    contactUri: null,
    colours: pageColours(client, api),
  };
}

export function apiView({
  id,
  name,
  contactUri,
  tosUri,
  policyUri,
  brand,
}: Pick<SnapshotApi, Exclude<keyof ApiView, 'logo'> | 'brand'>): ApiView {
  return { id, name, contactUri, tosUri, policyUri, logo: brand?.logo ?? null };
}
