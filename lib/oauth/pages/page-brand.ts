// The brand of a page during a sign-in: the client's own if the client is approved, otherwise the API's, otherwise
// ours. Every page names the service and the client's host.
import { shownBrand, type Wearer } from '#lib/registry/brand/brand.ts';
import { type BrandColours, brandColours } from '#lib/registry/brand/brand-colours.ts';
import type { Snapshot, SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';

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
