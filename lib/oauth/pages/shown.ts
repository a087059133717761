// The client, the API and the brand, as a page shows them.
import { sha256 } from '#lib/kit/random.ts';
import type { Plain, Shown } from '#lib/language/message.ts';
import type { Words } from '#lib/language/words.ts';
import { type BrandColours, brandColours, shownBrand, type Wearer } from '#lib/registry/brand.ts';
import { OPENID_SCOPES } from '#lib/registry/claims.ts';
import { returnHost } from '#lib/registry/client.ts';
import type { DisplayText } from '#lib/registry/display-text.ts';
import { documentHost, returnsToLoopbackOnly } from '#lib/registry/unregistered.ts';
import type { Snapshot, SnapshotApi, SnapshotClient } from '#lib/store/snapshot.ts';
import type { AuthorizeRequest } from '../authorize/request.ts';
import { logoAddress } from '../client-logo.ts';

// The brand of a page during a sign-in: the client's own if the client is approved, otherwise the API's, otherwise
// ours. Every page names the service and the client's host.

/** Null: our own. */
export function pageColours(
  client: Wearer | null,
  api: Pick<SnapshotApi, 'id' | 'brand'>,
): BrandColours | null {
  const brands = [client && shownBrand(client, api.id), api.brand];
  const { accent, accent_dark: accentDark = null } = brands.find((brand) => brand?.accent) ?? {};
  return accent ? brandColours({ accent, accentDark }) : null;
}

/** The style sheet of a page: for its card, so that the service's own name stays as it is. */
export function brandStyle(colours: BrandColours | null): string | undefined {
  if (colours === null) return undefined;
  const rule = (card: string, { accent, strong, ink }: BrandColours['light']) =>
    `${card}{--accent:${accent};--accent-strong:${strong};--on-accent:${ink};--tint:var(--sunk)}`;
  return [
    rule('.card', colours.light),
    `@media (prefers-color-scheme:dark){${rule(':root:not([data-theme=light]) .card', colours.dark)}}`,
    rule('[data-theme=dark] .card', colours.dark),
  ].join('');
}

/** Of a page that has only the ids, by the registry as it is known. */
export function styleFor(
  snapshot: Snapshot | null,
  apiId: string,
  clientId: string | null,
): string | undefined {
  const api = snapshot?.apis.get(apiId);
  const client = (clientId !== null && snapshot?.clients.get(clientId)) || null;
  return api && brandStyle(pageColours(client, api));
}

// The content of the consent page. Its form contains a digest of the whole content, so that a yes applies to the text
// that the person read.

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
