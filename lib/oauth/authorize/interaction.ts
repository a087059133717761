// The state of an authorize request between two pages, and the required strength of its sign-in.
import { now } from '#lib/kit/clock.ts';
import { sha256 } from '#lib/kit/random.ts';
import { seal, unseal } from '#lib/kit/seal.ts';
import type { Told } from '#lib/language/message.ts';
import { type AcrLevel, levelOf } from '#lib/registry/claims.ts';
import type { SecondFactorPolicy } from '#lib/registry/methods/questions.ts';
import { TRANSACTION_SECONDS } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import type { StrengthAsked, StrengthFacts } from '#lib/store/hot/validity.ts';
import type { SnapshotClient } from '#lib/store/snapshot.ts';
import { LoginRequired, type OAuthError, UnmetAuthenticationRequirements } from '../errors.ts';
import type { Issuer } from '../issuer.ts';
import { highest, isPossible, policyOf, requiredLevel, tellsAcr } from '../rules.ts';

// The interaction is the sealed authorize request with the progress of the person. Nothing is stored for an anonymous
// visitor, several tabs work, and any instance can continue. An interaction works in one browser only, for ten minutes.

export type Interaction = {
  authMethodId: string;
  apiId: string;
  /** the query of the authorize request, untouched */
  query: string;
  /** milliseconds since 1970 */
  startedAt: number;
  /** of a pushed request: what its code uses up (base64url), and until when (milliseconds since 1970) it gets one */
  pushed?: { id: string; until: number };
  /** a digest of the browser's transaction cookie */
  browser: string;
  /** the session that this interaction's sign-in made (base64url of its hash): satisfies prompt=login and max_age */
  signedIn?: string;
  /** the session that a consent, or a second factor, was asked of */
  asked?: string;
  /** what the page for the second factor is to reach, and why one is set up; the request tells the rest */
  secondFactor?: { level: 2 | 3; why?: Extract<SecondFactorStep, { why: unknown }>['why'] };
  /** the session for which the person said that they will set up a second factor later */
  postponed?: string;
  /** the session that a second factor, proved in this interaction, made of another one */
  proved?: string;
  /** the secret of an authenticator app that the page to set one up has shown, sealed for its form */
  pendingTotp?: string;
  /** the right password of a person who has to replace it first, sealed (lib/sign-in) */
  owedPassword?: string;
  /** what the consent page showed (only in its form): how it named the person, and a digest of all of it */
  shown?: { label: string; digest: string };
  /** what the person said yes to in this interaction, and with which session */
  allowed?: string;
  /** the person said no */
  denied?: true;
  /** the person may not use the client, and went back to it */
  refused?: true;
  /** the method can not be asked right now, and the person went back to the client */
  unavailable?: true;
  /** the broker did not say when the person signed in, and the client asked */
  untimed?: true;
  /** the person chose another account ("Not you?"): no session is enough */
  switching?: true;
  /** of a device's request (RFC 8628): the hash of its code (base64url), and when it ends (milliseconds since 1970) */
  device?: { hash: string; endsAt: number };
  /** the session with which the person said yes to the device */
  connected?: string;
  /** no authorize request: a sign-in to the console, which continues at this path */
  console?: string;
  /** that sign-in proves another way in for this console session (base64url of its hash), and starts none */
  proves?: string;
  /** what the page says above its form: a wrong attempt, or something else to look at again */
  alert?: Told;
  username?: string;
  /**
   * an account that the person is making: what finds its row, its address, whether that is proved, and what was typed
   */
  registering?: { handle: string; email: string; proved?: true; again?: true; name?: string };
};

/** The request in it. */
export type Kept = Pick<Interaction, 'query' | 'pushed'>;

const PURPOSE = 'interaction';

/**
 * `proof`: what a person showed or said with a session. It counts for ten minutes from `startedAt` and is never given
 * more.
 */
const MEMBERS: Record<keyof Interaction, 'request' | 'proof' | 'page'> = {
  authMethodId: 'request',
  apiId: 'request',
  query: 'request',
  startedAt: 'request',
  pushed: 'request',
  browser: 'request',
  device: 'request',
  console: 'request',
  proves: 'request',
  signedIn: 'proof',
  asked: 'proof',
  connected: 'proof',
  secondFactor: 'proof',
  postponed: 'proof',
  proved: 'proof',
  pendingTotp: 'proof',
  owedPassword: 'proof',
  shown: 'proof',
  allowed: 'proof',
  denied: 'proof',
  refused: 'proof',
  unavailable: 'proof',
  untimed: 'proof',
  switching: 'request',
  alert: 'page',
  username: 'page',
  registering: 'page',
};

/**
 * Only the request, for another ten minutes: no earlier sign-in satisfies prompt=login, max_age or a second factor in
 * it.
 */
export function renewed(interaction: Interaction): Interaction {
  const entries = Object.entries(interaction) as [keyof Interaction, unknown][];
  const kept = Object.fromEntries(entries.filter(([member]) => MEMBERS[member] === 'request'));
  return { ...(kept as Interaction), startedAt: now().getTime() };
}

/** The page of ours that a browser returns to with a device's request; null: the request is a client's own. */
export const ownReturnOf = ({ device }: Pick<Interaction, 'device'>): string | null =>
  device === undefined ? null : `${settings().authUrl}/device`;

/** The value of `allowed`: a yes given with this session, to these scopes and no others. */
export function allowance(session: string, scopes: readonly string[]): string {
  return sha256([session, ...scopes.toSorted()].join(' ')).toString('base64url');
}

export function sealInteraction(interaction: Interaction): string {
  return seal(JSON.stringify(interaction), PURPOSE, settings().secrets);
}

/** A page opens the same one for its language, and again for what it shows. */
const lately: { secrets: readonly unknown[] | null; plain: Map<string, string> } = {
  secrets: null,
  plain: new Map(),
};
const LATELY = 32;

function plainOf(sealed: string): string | null {
  const { secrets } = settings();
  if (lately.secrets !== secrets) {
    lately.secrets = secrets;
    lately.plain.clear();
  }
  const known = lately.plain.get(sealed);
  if (known !== undefined) return known;
  const plain = unseal(sealed, PURPOSE, secrets);
  if (plain === null) return null;
  const [oldest] = lately.plain.keys();
  if (oldest !== undefined && lately.plain.size >= LATELY) lately.plain.delete(oldest);
  lately.plain.set(sealed, plain);
  return plain;
}

/** Sealed here, for whichever browser and however long ago. */
export function isInteraction(sealed: string): boolean {
  return plainOf(sealed) !== null;
}

/** The id of the request in a sealed interaction, of any browser; null: not sealed here. */
export function requestOf(sealed: string): { apiId: string; clientId: string | null } | null {
  const plain = plainOf(sealed);
  if (plain === null) return null;
  const { apiId, query } = JSON.parse(plain) as Interaction;
  return { apiId, clientId: new URLSearchParams(query).get('client_id') };
}

/** What was sealed; 'expired', or null for anything that was not sealed here or belongs to another browser. */
export function openInteraction(
  sealed: string | undefined,
  browser: string | null,
): Interaction | 'expired' | null {
  const plain = sealed === undefined || browser === null ? null : plainOf(sealed);
  if (plain === null) return null;
  const interaction = JSON.parse(plain) as Interaction;
  if (interaction.browser !== browser) return null;
  return now().getTime() - interaction.startedAt > TRANSACTION_SECONDS * 1000 ? 'expired' : interaction;
}

// Is the sign-in of an authorize request strong enough (RFC 9470 §4, OpenID Connect Core §5.5.1.1)? Where it is not,
// the person proves a second factor or sets one up, or the client is told that it cannot be (docs/decisions/0023).

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
  /** days that a required factor may be postponed; 0: never */
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
