const byPlace = new Map<string, [value: string, label: string][]>();
for (const zone of Intl.supportedValuesOf('timeZone')) {
  const [place = '', ...rest] = zone.split('/');
  const label = (rest.at(-1) ?? place).replaceAll('_', ' ');
  byPlace.set(place, [...(byPlace.get(place) ?? []), [zone, label]]);
}

/** Time zones by part of the world, each under its city, which a browser finds as one types. */
export const ZONES: readonly (readonly [place: string, zones: readonly (readonly [string, string])[]])[] = [
  ...byPlace,
].map(([place, zones]) => [place, zones.toSorted(([, a], [, b]) => a.localeCompare(b, 'en'))] as const);
