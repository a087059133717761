// Authentication context classes, as ID tokens and metadata name them. What a broker says of its own classes is passed
// on as `broker_acr`, and is never one of these.
import { ACR_VALUES, type AcrLevel, levelOf } from '#lib/registry/fields/acr.ts';
import { secondFactorOf } from '#lib/registry/methods/questions.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import type { Issuer } from './issuer.ts';
import { acrTold, isPossible, policyOf } from './strength.ts';

/**
 * The class that an ID token names; null: the broker knows. `level`: of the sign-in; null: 1. `acrs`: the client needs
 * one of these, in its own words (OpenID Connect Core §5.5.1.1): the strongest that the sign-in reaches.
 */
export function acrOfIdToken(
  level: AcrLevel | null,
  method: SnapshotMethod,
  acrs: readonly string[] = [],
): string | null {
  const reached = acrs
    .filter((acr) => isPossible(acr, method) && (levelOf(acr) ?? 4) <= (level ?? 1))
    .sort((one, other) => (levelOf(other) ?? 0) - (levelOf(one) ?? 0));
  return reached[0] ?? acrTold(level, method);
}

/**
 * For the metadata; undefined leaves the member out, since a list there is never empty (RFC 8414 §3.2). Where only the
 * API is `off`, people of the method may bring a factor that they have, so its classes can be had (RFC 9470 §7).
 */
export function supportedAcrs({ api, method }: Issuer): string[] | undefined {
  const withFactor = policyOf(api, method) !== 'off' || secondFactorOf(method) !== 'off';
  const acrs = ACR_VALUES.filter((acr) => isPossible(acr, method) && (withFactor || levelOf(acr) === 1));
  return acrs.length === 0 ? undefined : acrs;
}
