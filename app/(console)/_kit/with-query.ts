/** Adds parameters in front of the fragment, and omits empty parameters. */
export function withQuery(to: string, query: Record<string, string>): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== '');
  if (parameters.length === 0) return to;
  const [address = '', fragment] = to.split('#');
  const mark = address.includes('?') ? '&' : '?';
  return `${address}${mark}${new URLSearchParams(parameters)}${fragment ? `#${fragment}` : ''}`;
}
