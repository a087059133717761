// Is the sign-in of an authorize request strong enough (RFC 9470 §4, OpenID Connect Core §5.5.1.1)? Where it is not,
// the person proves a second factor or sets one up, or the client is told that it cannot be (docs/decisions/0023).
import { type AcrLevel, levelOf } from '#lib/registry/fields/acr.ts';
import type { SecondFactorPolicy } from '#lib/registry/methods/questions.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import type { StrengthAsked, StrengthFacts } from '#lib/store/tokens/strength.ts';
import { LoginRequired, type OAuthError, UnmetAuthenticationRequirements } from '../errors/errors.ts';
import type { Issuer } from '../rules/issuer.ts';
import { highest, isPossible, policyOf, requiredLevel, tellsAcr } from '../rules/strength.ts';

export type NeededStrength = {
  /** the least level of the sign-in; null: none is required */
  level: AcrLevel | null;
  policy: SecondFactorPolicy;
};

type Asker = { issuer: Issuer; client: Pick<SnapshotClient, 'defaultAcrValues'> };

type Named = {
  scopes: readonly string[];
  acrValues: string | undefined;
  /** with the values of an essential acr in claims */
  openid: { acrs?: readonly string[] | undefined } | null;
};

/** UnmetAuthenticationRequirements for an essential acr that no sign-in here ever has. */
export function strengthOfRequest({ issuer, client }: Asker, named: Named): NeededStrength {
  const { api, method } = issuer;
  const { scopes, acrValues, openid } = named;
  const acrs = openid?.acrs ?? null;
  const leastOf = (values: readonly string[]): AcrLevel | null => {
    if (values.length === 0) return null;
    const levels = values.filter((acr) => isPossible(acr, method)).map(levelOf);
    return ([1, 2, 3] as const).find((level) => levels.includes(level)) ?? null;
  };
  const essential = acrs && leastOf(acrs);
  if (acrs && essential === null)
    throw new UnmetAuthenticationRequirements('No sign-in here has an acr that claims asks for.');
  const wished = leastOf(acrValues?.split(' ') ?? []) ?? (acrs ? null : leastOf(client.defaultAcrValues));
  const level = highest([requiredLevel(api, scopes), essential, wished]);
  return { level: level ?? (tellsAcr(api) ? 1 : null), policy: policyOf(api, method) };
}

/** What counts beside the required strength. */
export type Asking = {
  strength: NeededStrength;
  /** no page can ask */
  silent: boolean;
  /** the person signed in for this very request */
  here: boolean;
  /** the person has just said that they will set one up later */
  postponed: boolean;
  /** for how long that works where one must be had; 0: not at all */
  graceDays: number;
};

/** The same for the statement that issues the code. */
export function strengthAsked(asking: Asking, trustedDays: number): StrengthAsked {
  const { level, policy } = asking.strength;
  const secondFactor = {
    off: 'off',
    own: 'own',
    optional: offers(asking) ? 'offer' : 'own',
    required: asksInGrace(asking) ? 'required' : 'postponed',
  } as const;
  return {
    level,
    secondFactor: secondFactor[policy],
    graceSeconds: asking.graceDays * 86_400,
    trustedDays,
  };
}

/** Once after a sign-in, and no more in this request where the person said Later. */
const offers = ({ strength, silent, here, postponed }: Asking) =>
  strength.policy === 'optional' && here && !postponed && !silent;

/** During the grace period each sign-in is asked once; a request that finds the person signed in continues. */
const asksInGrace = ({ here, postponed }: Asking) => here && !postponed;

/** `level`: that the proof, or the new factor, must reach. */
export type SecondFactorStep =
  | { kind: 'confirm'; level: 2 | 3 }
  | { kind: 'set-up'; level: 2 | 3; why: 'required' | 'grace' | 'offer' };

/** What the person does first; null: nothing, the sign-in is strong enough. */
export function secondFactorStep(
  asking: Asking,
  facts: StrengthFacts,
): SecondFactorStep | { kind: 'error'; error: OAuthError } | null {
  const step = stepOf(asking, facts);
  if (step === 'impossible')
    return {
      kind: 'error',
      error: new UnmetAuthenticationRequirements('The person has no sign-in of the acr that is asked for.'),
    };
  if (step && asking.silent)
    return { kind: 'error', error: new LoginRequired('The person has to prove a second factor first.') };
  return step;
}

function stepOf(asking: Asking, facts: StrengthFacts): SecondFactorStep | 'impossible' | null {
  const { level: least, policy } = asking.strength;
  const { level, factorLevel, trusted, inGrace, offered } = facts;
  if (least !== null && least > level) {
    const needed = least === 3 ? 3 : 2;
    if (factorLevel >= needed) return { kind: 'confirm', level: needed };
    if (policy === 'off') return 'impossible';
    // adding a stronger factor needs a proof of the existing one
    if (factorLevel > level) return { kind: 'confirm', level: 2 };
    return { kind: 'set-up', level: needed, why: 'required' };
  }
  if (policy === 'off' || level >= 2) return null;
  if (factorLevel > 0) return trusted ? null : { kind: 'confirm', level: 2 };
  if (policy === 'required') return stepInGrace(asking, inGrace);
  return offers(asking) && !offered ? { kind: 'set-up', level: 2, why: 'offer' } : null;
}

function stepInGrace(asking: Asking, inGrace: boolean | null): SecondFactorStep | null {
  if (asking.graceDays === 0 || inGrace === false) return { kind: 'set-up', level: 2, why: 'required' };
  // not told yet, or signing in
  if (inGrace === null || asksInGrace(asking)) return { kind: 'set-up', level: 2, why: 'grace' };
  return null;
}
