// What an authorize request with the scope `openid` asks for beside a code (OpenID Connect Core §3.1.2.1, §5.5).
import { z } from 'zod';
import type { Params } from '#lib/http/params.ts';
import { parseAs } from '#lib/kit/seal.ts';
import { levelOf } from '#lib/registry/fields/acr.ts';
import type { OpenIdRequest } from '#lib/store/tokens/openid.ts';
import { InvalidRequest, LoginRequired } from '../errors/errors.ts';
import { ID_TOKEN_CLAIMS, scopeOfClaim } from './claims.ts';

const MAX_NONCE_BYTES = 2_048;
const MAX_CLAIMS = 100;

/**
 * `claims` (§5.5). `essential`, `value` and `values` count only for `sub` and `acr`; other claims are given where
 * known.
 */
const one = z.object({ essential: z.boolean().optional() }).loose().nullable();
const asked = z.record(z.string(), one);
const claimsShape = z.object({ userinfo: asked.nullish(), id_token: asked.nullish() });

/** What `claims` asks of the ID token, with the values that it wants. */
export type Demanded = z.output<typeof asked>;

/** InvalidRequest for a nonce that cannot be returned untouched, and claims of a wrong shape. */
export function readOpenIdRequest({ values }: Params): { openid: OpenIdRequest; demanded: Demanded } {
  const nonce = values.get('nonce');
  if (nonce !== undefined && (Buffer.byteLength(nonce) > MAX_NONCE_BYTES || !isKeepable(nonce))) {
    throw new InvalidRequest(
      `nonce is longer than ${MAX_NONCE_BYTES} bytes or holds a character that can not be returned.`,
    );
  }
  const claims = values.get('claims');
  const parsed = claims === undefined ? {} : parseAs(claimsShape, claims);
  if (parsed === null)
    throw new InvalidRequest("claims must be a JSON object with the members 'userinfo' and 'id_token'.");
  const idToken = namesIn(parsed.id_token);
  const userinfo = namesIn(parsed.userinfo);
  if (idToken.length + userinfo.length > MAX_CLAIMS)
    throw new InvalidRequest(`claims must not ask for more than ${MAX_CLAIMS}.`);
  const acrs = demandedAcrs(parsed.id_token?.['acr']);
  const openid = {
    ...(nonce === undefined ? {} : { nonce }),
    idToken,
    userinfo,
    ...(acrs === null ? {} : { acrs }),
  };
  return { openid, demanded: parsed.id_token ?? {} };
}

/**
 * The `sub` of the person that `claims` names, as in the ID token (§3.1.2.2); null: none. LoginRequired where no person
 * can have it.
 */
export function demandedSub({ sub }: Demanded): string | null {
  const [named] = valuesOf(sub);
  if (named === undefined) return null;
  if (typeof named !== 'string') throw new LoginRequired('claims asks for a sub that nobody here has.');
  return named;
}

/** The classes of which the sign-in must have one (§5.5.1.1); null: any will do. InvalidRequest for more than a few. */
function demandedAcrs(acr: z.output<typeof one> | undefined): string[] | null {
  const classes = valuesOf(acr);
  if (!acr?.essential || classes.length === 0) return null;
  if (classes.length > MAX_CLAIMS)
    throw new InvalidRequest(`claims must not name more than ${MAX_CLAIMS} acr.`);
  return classes.map(String).filter((name) => levelOf(name) !== null);
}

function valuesOf(claim: z.output<typeof one> | undefined): unknown[] {
  const { value, values } = claim ?? {};
  return value === undefined ? (Array.isArray(values) ? values : []) : [value];
}

/** The scopes that a person agrees to when a client asks for single claims: each claim's own. */
export function scopesOfClaims({ idToken, userinfo }: OpenIdRequest): string[] {
  return [...idToken, ...userinfo].map(scopeOfClaim);
}

function namesIn(member: Record<string, unknown> | null | undefined): string[] {
  return Object.keys(member ?? {}).filter(
    (name) => !ID_TOKEN_CLAIMS.includes(name) && name.length <= 100 && isKeepable(name),
  );
}

function isKeepable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
