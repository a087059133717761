// State of an authorize request between two pages, and the required sign-in strength.

import type { SecondFactorPolicy } from '#lib/catalogue/methods/questions.ts';
import { now } from '#lib/kit/clock.ts';
import { sha256 } from '#lib/kit/random.ts';
import { seal, unseal } from '#lib/kit/seal.ts';
import type { Told } from '#lib/language/message.ts';
import { type AcrLevel, levelOf } from '#lib/registry/claims.ts';
import { TRANSACTION_SECONDS } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import type { StrengthAsked, StrengthFacts } from '#lib/store/hot/validity.ts';
import type { SnapshotClient } from '#lib/store/snapshot.ts';
import { LoginRequired, type OAuthError, UnmetAuthenticationRequirements } from '../errors.ts';
import type { Issuer } from '../issuer.ts';
import { highest, isPossible, policyOf, requiredLevel, tellsAcr } from '../rules.ts';

// The interaction is the sealed authorize request with the progress of the user. Nothing is stored for an anonymous
// visitor, several tabs work independently, and any instance can continue. An interaction works in one browser only,
// for ten minutes.

export type Interaction = {
  authMethodId: string;
  apiId: string;
  /** the unchanged query of the authorize request */
  query: string;
  /** start of the interaction in milliseconds since 1970 */
  startedAt: number;
  /**
   * pushed request: its one-time id (base64url), and the time until which a code can be issued (milliseconds since
   * 1970)
   */
  pushed?: { id: string; until: number };
  /** a digest of the browser's transaction cookie */
  browser: string;
  /**
   * the session created by this interaction's sign-in (base64url of its hash), which satisfies prompt=login and
   * max_age
   */
  signedIn?: string;
  /** the session for which the consent page or second-factor page was shown */
  asked?: string;
  /** for the second-factor page: required level, and reason for a new factor; the request contains the other data */
  secondFactor?: { level: 2 | 3; why?: Extract<SecondFactorStep, { why: unknown }>['why'] };
  /** the session in which the user postponed second-factor setup */
  postponed?: string;
  /** the session that was created when the user proved a second factor in this interaction */
  proved?: string;
  /** TOTP secret that the setup page shows, sealed for the form of this page */
  pendingTotp?: string;
  /** the correct password of a user who must replace it first, sealed (lib/sign-in) */
  owedPassword?: string;
  /** only in the form of the consent page: label of the user, and digest of the shown contents */
  shown?: { label: string; digest: string };
  /** digest of the session and of the scopes to which the user consented in this interaction */
  allowed?: string;
  /** true: the user denied the request */
  denied?: true;
  /** true: a denied user returned to the client */
  refused?: true;
  /** true: the sign-in method was unavailable, and the user chose to return to the client */
  unavailable?: true;
  /** true: the broker sent no sign-in time, although the client requires it */
  untimed?: true;
  /** true: the user chose another account ("Not you?"), so no existing session is sufficient */
  switching?: true;
  /** device request (RFC 8628): hash of its code (base64url), and its expiry (milliseconds since 1970) */
  device?: { hash: string; endsAt: number };
  /** session in which the user approved a device */
  connected?: string;
  /** for a console sign-in without an authorize request: path of the next page */
  console?: string;
  /** console session that this sign-in confirms, so that no new session starts (base64url of the session's hash) */
  proves?: string;
  /** message above the form, such as a failed attempt */
  alert?: Told;
  /** the alert concerns the passkey, not the fields of the form */
  alertAt?: 'passkey';
  username?: string;
  /**
   * an account during registration: handle of its row, email address, whether the address is verified, and typed values
   */
  registering?: { handle: string; email: string; proved?: true; again?: true; name?: string };
};

/** The members of an interaction that contain the authorize request. */
export type Kept = Pick<Interaction, 'query' | 'pushed'>;

const PURPOSE = 'interaction';

/**
 * `proof`: facts that a user proved, or stated in a session. Valid for ten minutes from `startedAt`, never extended.
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
  alertAt: 'page',
  username: 'page',
  registering: 'page',
};

/**
 * Keeps only the request, for another ten minutes. Earlier sign-ins no longer satisfy prompt=login, max_age or a second
 * factor.
 */
export function renewInteraction(interaction: Interaction): Interaction {
  const entries = Object.entries(interaction) as [keyof Interaction, unknown][];
  const requestMembers = Object.fromEntries(entries.filter(([member]) => MEMBERS[member] === 'request'));
  return { ...(requestMembers as Interaction), startedAt: now().getTime() };
}

/** Returns the Gatehouse page that receives the result of a device request. Null for a client's request. */
export const ownReturnOf = ({ device }: Pick<Interaction, 'device'>): string | null =>
  device === undefined ? null : `${settings().authUrl}/device`;

/** Returns the value of `allowed` for the consent of this session to exactly these scopes. */
export function allowance(session: string, scopes: readonly string[]): string {
  return sha256([session, ...scopes.toSorted()].join(' ')).toString('base64url');
}

export function sealInteraction(interaction: Interaction): string {
  return seal(JSON.stringify(interaction), PURPOSE, settings().secrets);
}

/**
 * Cache of opened interactions, because pages open the same interaction twice: first for the language, then for the
 * contents.
 */
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
  const cachedText = lately.plain.get(sealed);
  if (cachedText !== undefined) return cachedText;
  const plain = unseal(sealed, PURPOSE, secrets);
  if (plain === null) return null;
  const [oldest] = lately.plain.keys();
  if (oldest !== undefined && lately.plain.size >= LATELY) lately.plain.delete(oldest);
  lately.plain.set(sealed, plain);
  return plain;
}

/** True if Gatehouse sealed the interaction, for any browser and at any time. */
export function isInteraction(sealed: string): boolean {
  return plainOf(sealed) !== null;
}

/** Returns the API and client of a sealed interaction, regardless of browser. Null if Gatehouse did not seal it. */
export function requestOf(sealed: string): { apiId: string; clientId: string | null } | null {
  const plain = plainOf(sealed);
  if (plain === null) return null;
  const { apiId, query } = JSON.parse(plain) as Interaction;
  return { apiId, clientId: new URLSearchParams(query).get('client_id') };
}

/** Returns the sealed interaction, or 'expired'. Null: Gatehouse did not seal it, or it is bound to another browser. */
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

// Checks the sign-in strength of an authorize request (RFC 9470 §4, OpenID Connect Core §5.5.1.1). If the sign-in is
// too weak, the user proves or adds a second factor, or the client receives an error (docs/project/decisions/0023).

export type NeededStrength = {
  /** minimum level of the sign-in; null if there is no requirement */
  level: AcrLevel | null;
  policy: SecondFactorPolicy;
};

type Asker = { issuer: Issuer; client: Pick<SnapshotClient, 'defaultAcrValues'> };

type Named = {
  scopes: readonly string[];
  acrValues: string | undefined;
  /** `acrs`: values of an essential acr in the claims parameter */
  openid: { acrs?: readonly string[] | undefined } | null;
};

/** Throws UnmetAuthenticationRequirements if no sign-in of this issuer can reach an essential acr. */
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
    throw new UnmetAuthenticationRequirements(
      'No sign-in method of this issuer reaches an acr that the claims parameter requires.',
    );
  const wished = leastOf(acrValues?.split(' ') ?? []) ?? (acrs ? null : leastOf(client.defaultAcrValues));
  const level = highest([requiredLevel(api, scopes), essential, wished]);
  return { level: level ?? (tellsAcr(api) ? 1 : null), policy: policyOf(api, method) };
}

/** Further inputs of the second-factor decision. */
export type Asking = {
  strength: NeededStrength;
  /** true: no page can ask the user */
  silent: boolean;
  /** true: the user signed in for this request */
  here: boolean;
  /** true: the user just postponed the second-factor setup */
  postponed: boolean;
  /** number of days that a user may postpone a required factor; 0: never */
  graceDays: number;
};

/** Returns the inputs of the second-factor decision for the statement that issues the code. */
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

/** True if the setup is offered: once per sign-in, and no longer in this request after the user chose Later. */
const offers = ({ strength, silent, here, postponed }: Asking) =>
  strength.policy === 'optional' && here && !postponed && !silent;

/**
 * True if the setup page is shown during the grace period, which happens once per sign-in. Requests with an
 * existing session continue.
 */
const asksInGrace = ({ here, postponed }: Asking) => here && !postponed;

/** A step that the user must complete first. `level`: the level that the proof, or the new factor, must reach. */
export type SecondFactorStep =
  | { kind: 'confirm'; level: 2 | 3 }
  | { kind: 'set-up'; level: 2 | 3; why: 'required' | 'grace' | 'offer' };

/** Returns the step that the user must complete first. Null if the sign-in is strong enough. */
export function secondFactorStep(
  asking: Asking,
  facts: StrengthFacts,
): SecondFactorStep | { kind: 'error'; error: OAuthError } | null {
  const step = stepOf(asking, facts);
  if (step === 'impossible')
    return {
      kind: 'error',
      error: new UnmetAuthenticationRequirements('The person cannot sign in with the required acr.'),
    };
  if (step && asking.silent)
    return { kind: 'error', error: new LoginRequired('The person must confirm a second factor first.') };
  return step;
}

function stepOf(asking: Asking, facts: StrengthFacts): SecondFactorStep | 'impossible' | null {
  const { level: least, policy } = asking.strength;
  const { level, factorLevel, trusted, inGrace, offered } = facts;
  if (least !== null && least > level) {
    const needed = least === 3 ? 3 : 2;
    if (factorLevel >= needed) return { kind: 'confirm', level: needed };
    if (policy === 'off') return 'impossible';
    // adding a stronger factor requires a proof of the existing factor
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
  // the user received no notice, or is signing in
  if (inGrace === null || asksInGrace(asking)) return { kind: 'set-up', level: 2, why: 'grace' };
  return null;
}
