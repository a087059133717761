// The issuers of another service that people and clients came from, answered at their old address until a date, so
// that a client which is configured for one works as before: the host leads here, and `iss` is the old text. Pure, and
// shared by the configuration file, the command line and the console.
import { z } from 'zod';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { publicKeySet } from '../clients/public-keys.ts';
import { authMethodId, webAddress } from '../fields/values.ts';
import { issuerHostOf } from './issuer-hosts.ts';
import { formerIssuerBase, ISSUER_LAYOUTS, type IssuerLayout, sharedAddress } from './issuer-layouts.ts';

/** What is wrong with the address of a former issuer, or null. It is `iss` in tokens, so one spelling is good. */
function formerIssuerFault(issuer: string): string | null {
  const url = URL.parse(issuer);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || issuer.length > 300)
    return 'must be the address of an issuer, such as https://sso.example/realms/shop';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (/[?#%]/.test(issuer) || /\/\//.test(url.pathname))
    return 'must not hold a query, a fragment, an escape or an empty part of a path';
  if (url.href !== issuer && url.href !== `${issuer}/`) return `must be written as ${url.href}`;
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return 'must be https (or http on this machine, for development)';
  return null;
}

const isEncrypted = (address: string): boolean => {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || isLoopbackHost(url?.hostname ?? '');
};

const formerIssuer = z.strictObject({
  issuer: z
    .string()
    .refine((value) => formerIssuerFault(value) === null, {
      error: ({ input }) => formerIssuerFault(String(input)) ?? '',
    })
    .describe('The `iss` that its tokens had, letter by letter'),
  auth_method: authMethodId.describe('People who come by it sign in with this method of the API'),
  layout: z
    .enum(ISSUER_LAYOUTS)
    .default('same')
    .describe('Where its addresses were: as that service has them, or the same as here'),
  until: z.iso
    .date('must be a date such as 2027-06-30')
    .describe('The last day on which it is answered, in UTC'),
  refresh: z
    .literal('ask')
    .exactOptional()
    .describe(
      '`ask`: a refresh token that is not known here is sent once to token_endpoint, as the client sent it',
    ),
  token_endpoint: webAddress
    .refine(isEncrypted, 'must be https (or http on this machine): secrets of clients go there')
    .exactOptional()
    .describe('Where that service still answers: its token endpoint'),
  allow_private_network: z
    .boolean('must be true or false')
    .exactOptional()
    .describe('token_endpoint and jwks_uri may be in the private network'),
  jwks: publicKeySet
    .exactOptional()
    .describe('Its public keys, which its key set still shows, and which its ID tokens are checked with'),
  jwks_uri: webAddress
    .refine(isEncrypted, 'must be https (or http on this machine): keys come from there')
    .exactOptional()
    .describe(
      'Where that service still shows its public keys, beside or instead of jwks. The last ones are kept',
    ),
});

export type FormerIssuer = z.output<typeof formerIssuer>;

/** Null: none. `formerIssuerFaults` says what is wrong with one beside the others. */
export const formerIssuers = z
  .array(formerIssuer)
  .max(100, 'must not be more than 100')
  .transform((list) => (list.length === 0 ? null : list))
  .nullable()
  .default(null);

type WithFormers = {
  authMethods: readonly string[];
  issuerHosts: Readonly<Record<string, string>> | null;
  formerIssuers: readonly FormerIssuer[] | null;
};

/** The first moment after its last day: milliseconds since 1970. */
const endOf = ({ until }: FormerIssuer): number => Date.parse(until) + 86_400_000;

export const isPast = (one: FormerIssuer, now: Date): boolean => endOf(one) <= now.getTime();

/** `end`: when it is answered no more, milliseconds since 1970; `jwks`: keys beside ours. */
export type IssuerAddress = {
  url: string;
  layout: IssuerLayout;
  end: number;
  jwks: FormerIssuer['jwks'] | null;
  /** where more of them are; null: nowhere */
  keysAt: OldAddress | null;
  /** where a refresh token of it is sent; null: nowhere */
  asks: OldAddress | null;
};

/** Of the service itself, where it still answers. */
export type OldAddress = { address: string; allowPrivateNetwork: boolean };

const oldAddress = (one: FormerIssuer, address: string | undefined): OldAddress | null =>
  address === undefined ? null : { address, allowPrivateNetwork: one.allow_private_network === true };

/** What the issuer of this method has beside its path address: a host of its own, and those it had elsewhere. */
export function addressesOf(api: WithFormers, method: string): IssuerAddress[] {
  const host = issuerHostOf(api, method);
  const own =
    host === null
      ? []
      : [{ url: host, layout: 'same', end: Infinity, jwks: null, keysAt: null, asks: null } as const];
  const formers = api.authMethods.includes(method) ? (api.formerIssuers ?? []) : [];
  return [
    ...own,
    ...formers
      .filter((one) => one.auth_method === method)
      .map((one) => ({
        url: one.issuer,
        layout: one.layout,
        end: endOf(one),
        jwks: one.jwks ?? null,
        keysAt: oldAddress(one, one.jwks_uri),
        asks: one.refresh === 'ask' ? oldAddress(one, one.token_endpoint) : null,
      })),
  ];
}

/** How an issuer would meet one of the others, at an address where both are answered; null: it meets none. */
function meetingOf(
  one: Pick<FormerIssuer, 'issuer' | 'layout'>,
  others: readonly Pick<FormerIssuer, 'issuer' | 'layout'>[],
): string | null {
  for (const other of others) {
    if (formerIssuerBase(one.issuer) === formerIssuerBase(other.issuer))
      return `${one.issuer} is written twice`;
    const shared = sharedAddress(one, other);
    if (shared !== null) return `${other.issuer} is answered at ${shared} too`;
  }
  return null;
}

/**
 * Methods that the API does not list, addresses that two share, and one at a host of the service itself (`own`:
 * origins).
 */
export function formerIssuerFaults(
  { authMethods, issuerHosts, formerIssuers: formers }: WithFormers,
  own: readonly string[],
): { at: number; message: string }[] {
  const seen: Pick<FormerIssuer, 'issuer' | 'layout'>[] = [];
  const hosts = new Set([...own, ...Object.values(issuerHosts ?? {})].map((one) => URL.parse(one)?.host));
  return (formers ?? []).flatMap(
    (
      { issuer, layout, auth_method: method, refresh, token_endpoint: tokens, jwks, jwks_uri: keysAt },
      at,
    ) => {
      const meeting = meetingOf({ issuer, layout }, seen);
      seen.push({ issuer, layout });
      if (!authMethods.includes(method))
        return [{ at, message: `${method} is none of the sign-in methods of this API` }];
      if ((refresh === undefined) !== (tokens === undefined))
        return [{ at, message: 'refresh and token_endpoint must be named together' }];
      if (refresh !== undefined && jwks === undefined && keysAt === undefined)
        return [{ at, message: 'refresh needs jwks or jwks_uri, which its answers are checked with' }];
      if (meeting !== null) return [{ at, message: meeting }];
      return hosts.has(URL.parse(issuer)?.host)
        ? [{ at, message: `${issuer} is at a host of this service, which has issuers of its own there` }]
        : [];
    },
  );
}
