// Resource indicators (RFC 8707 §2): an issuer is of one API, so a request that names a resource must name that one. It
// changes nothing about the token: `aud` is the API's configured url, however the client spells it.
import type { Params } from '#lib/http/params.ts';
import { InvalidTarget } from '../errors/errors.ts';

/** May come several times (RFC 8707 §2). */
export const RESOURCE = 'resource';

/**
 * An absolute address of the web in the characters of RFC 3986 §2, without a fragment: nothing that a parser would
 * mend.
 */
const ABSOLUTE = /^https?:\/\/[\w\-.~:[\]@!$&'()*+,;=%][\w\-.~:/?[\]@!$&'()*+,;=%]*$/i;

/** Is this what a resource may be called by: nothing that a parser would mend? */
export const isAbsolute = (resource: string): boolean => ABSOLUTE.test(resource) && URL.canParse(resource);

/**
 * Is this the API at `apiUrl`? After the parse of the URL Standard, so that `https://mcp.example` and
 * `https://mcp.example/`, which is what URL libraries make of it, are one. The origin of the API's url is taken too:
 * clients that find no metadata of the API name it by its host, and here it can mean no other API.
 */
export function namesApi(apiUrl: string, resource: string): boolean {
  if (resource === apiUrl) return true;
  const sent = ABSOLUTE.test(resource) ? URL.parse(resource) : null;
  const own = URL.parse(apiUrl);
  if (!sent || !own) return false;
  return sent.href === own.href || sent.href === `${own.origin}/`;
}

/** Every `resource` of the request names this API, or InvalidTarget. */
export function requireOwnResource({ url }: { url: string }, { values, more }: Params): void {
  const first = values.get(RESOURCE);
  if (first === undefined) return;
  const foreign = [first, ...(more?.get(RESOURCE) ?? [])].some((resource) => !namesApi(url, resource));
  if (foreign)
    throw new InvalidTarget(
      `resource must name the API of this issuer, ${url}, as an absolute URI without a fragment.`,
    );
}
