// Base URL of a service under test.
export type Door = { url: string };

/**
 * Returns the issuer of an authentication method and an API, by default of the local method and of orders.
 */
export function issuerOf({ url }: Door, method = 'pw', api = 'orders'): string {
  return `${url}/auth/${method}/api/${api}`;
}
