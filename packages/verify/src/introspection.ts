// Introspects opaque access tokens (RFC 7662). Caches each result for a few seconds, under the hash of its token.
import { boundedText, setBounded } from './bounded.ts';
import { fetchJson, Unavailable } from './fetch-json.ts';
import type { Followed } from './followed.ts';
import type { Metadata } from './metadata.ts';
import type { Settings } from './options.ts';
import { sha256 } from './proof.ts';
import { Invalid } from './refusal.ts';

const ACTIVE_MS = 10_000;
const INACTIVE_MS = 1_000;
const MOST_AT_ONCE = 200;
const NOT_ACTIVE = 'the introspection endpoint says that the token is not active';

type Claims = Record<string, unknown>;

export function introspector(
  { credential, tell }: Settings,
  followed: Followed,
  now = () => performance.now(),
) {
  const active = new Map<string, { claims: Claims; until: number }>();
  const inactive = new Map<string, number>();
  const flights = new Map<string, Promise<Claims>>();

  async function ask(token: string, address: string, hash: string): Promise<Claims> {
    // the age starts at the request, because the content may be older than its response
    const at = now();
    const response = await fetchJson(address, {
      method: 'POST',
      headers: { authorization: credential ?? '', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
    }).catch((error: Error) => {
      tell(error.message);
      throw error;
    });
    const { active: isActive, ...claims } = response;
    const left = Number(claims['exp']) * 1_000 - Date.now();
    // an active token can also be a refresh token, which must be rejected
    const isAccess = String(claims['token_type']).toLowerCase() === ('cnf' in claims ? 'dpop' : 'bearer');
    if (isActive === true && left > 0 && isAccess) {
      setBounded(active, hash, { claims, until: at + Math.min(ACTIVE_MS, left) });
      return claims;
    }
    setBounded(inactive, hash, at + INACTIVE_MS);
    throw new Invalid(NOT_ACTIVE);
  }

  return async (token: string, metadata: Metadata): Promise<Claims> => {
    const { introspection, issuers, resource } = metadata;
    if (credential === null) {
      tell('the tokens of this API are opaque: its introspection secret is not set');
      throw new Unavailable();
    }
    const hash = await sha256(`${introspection} ${token}`);
    const cacheEntry = active.get(hash);
    let claims = cacheEntry && cacheEntry.until > now() ? cacheEntry.claims : null;
    if (!claims) {
      if ((inactive.get(hash) as number) > now()) throw new Invalid(NOT_ACTIVE);
      if (!flights.has(hash) && flights.size >= MOST_AT_ONCE) throw new Unavailable();
      claims = await shareFlight(hash, () => ask(token, introspection, hash));
    }
    const issuer = String(claims['iss']);
    const isOurs = issuers.includes(issuer) || (await followed.newer(metadata))?.issuers.includes(issuer);
    if (!isOurs) throw new Invalid(`iss of the token is ${boundedText(issuer)}, which the API rejects`);
    if (![claims['aud']].flat().includes(resource))
      throw new Invalid(
        `aud of the token is ${boundedText(claims['aud'])}, but the url of the API is ${resource}`,
      );
    // returns a copy, because handlers may modify the claims
    return structuredClone(claims);
  };

  function shareFlight(hash: string, run: () => Promise<Claims>): Promise<Claims> {
    const flight = flights.get(hash) ?? run().finally(() => flights.delete(hash));
    flights.set(hash, flight);
    return flight;
  }
}
