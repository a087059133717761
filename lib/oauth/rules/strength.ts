// How strong a sign-in has to be: what the API and its scopes require (RFC 9470), and what the policy of the API, or of
// the method, asks of people who came with only a password (docs/decisions/0023).
import { type AcrLevel, acrOfLevel, levelOf } from '#lib/registry/fields/acr.ts';
import { methodCan, type SecondFactorPolicy, secondFactorOf } from '#lib/registry/methods/questions.ts';
import type { SnapshotApi, SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import type { SignInStrength } from '#lib/store/tokens/strength.ts';

/** The API's, which is the narrower; where it says nothing the method's. */
export const policyOf = (api: SnapshotApi, method: SnapshotMethod): SecondFactorPolicy =>
  api.secondFactor ?? secondFactorOf(method);

/** 0: no second factor; 1: for people who have one; 2: for everyone. */
export const strictnessOf = (api: SnapshotApi, method: SnapshotMethod): 0 | 1 | 2 =>
  (({ off: 0, own: 1, optional: 1, required: 2 }) as const)[policyOf(api, method)];

/** The highest level that one of these names; null: none does. */
export function highest(levels: readonly (AcrLevel | null)[]): AcrLevel | null {
  const named = levels.filter((level) => level !== null);
  return named.length === 0 ? null : (Math.max(...named) as AcrLevel);
}

const required = (acr: string | null = null): AcrLevel | null => (acr === null ? null : levelOf(acr));

/** What the API itself requires, for every scope; 1: any sign-in. */
export const levelOfApi = (api: SnapshotApi): AcrLevel => required(api.requiredAcr) ?? 1;

/** What the API and these of its scopes require; null: nothing. */
export function requiredLevel(api: SnapshotApi, scopes: readonly string[]): AcrLevel | null {
  if (api.requiredAcr === null && !hasStrictScopes(api)) return null;
  const named = api.scopes.filter(({ name }) => scopes.includes(name));
  return highest([required(api.requiredAcr), ...named.map((scope) => required(scope.required_acr))]);
}

/** The scopes of the API that need more than this level. */
export const scopesAbove = (api: SnapshotApi, level: AcrLevel): string[] =>
  api.scopes.filter((scope) => (required(scope.required_acr) ?? 1) > level).map(({ name }) => name);

/** Does one of its scopes require anything of the sign-in? */
export const hasStrictScopes = (api: SnapshotApi): boolean =>
  api.scopes.some((scope) => scope.required_acr !== undefined);

/** Do the tokens of the API say how the person signed in, whether or not a request asked for it? */
export const tellsAcr = (api: SnapshotApi): boolean =>
  api.secondFactor !== null || api.requiredAcr !== null || hasStrictScopes(api);

/** The lowest of the classes that this service can vouch for: a broker's own classes are not among them. */
const lowestOf = (method: SnapshotMethod): AcrLevel => (methodCan(method, 'asksPassword') ? 1 : 2);

/** May a sign-in by this method have this class? */
export function isPossible(acr: string, method: SnapshotMethod): boolean {
  const level = levelOf(acr);
  return level !== null && level >= lowestOf(method);
}

/** `level`: of the sign-in; null: 1. The class to tell; null: the broker knows. */
export function acrTold(level: AcrLevel | null, method: SnapshotMethod): string | null {
  const reached = level ?? 1;
  return reached < lowestOf(method) ? null : acrOfLevel(reached);
}

/**
 * `acr` and `amr` of an access token and its introspection (RFC 9068 §2.2.1, RFC 9470 §6): where the request asked for
 * a class, the sign-in was more than a password, or the API asks for such things at all.
 */
export function strengthClaims(
  { acrLevel, amr }: SignInStrength,
  { api, method }: { api: SnapshotApi; method: SnapshotMethod },
): { acr?: string; amr?: string[] } {
  if (acrLevel === null && !tellsAcr(api)) return {};
  const acr = acrTold(acrLevel, method);
  return { ...(acr === null ? {} : { acr }), ...(amr === null || amr.length === 0 ? {} : { amr }) };
}
