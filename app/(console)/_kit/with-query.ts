/** Adds parameters before the fragment, omitting empty ones. */
export function withQuery(to: string, query: Record<string, string>): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  if (given.length === 0) return to;
  const [address = '', fragment] = to.split('#');
  const mark = address.includes('?') ? '&' : '?';
  return `${address}${mark}${new URLSearchParams(given)}${fragment ? `#${fragment}` : ''}`;
}
