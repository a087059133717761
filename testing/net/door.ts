// Base URL of a service under test.
export type Door = { url: string };

/** The issuer of an authentication method and an API; the local method and orders, unless said otherwise. */
export function issuerOf({ url }: Door, method = 'pw', api = 'orders'): string {
  return `${url}/auth/${method}/api/${api}`;
}
