// State of an authorize request between two pages, and the required sign-in strength.
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
  /** the session that the consent or second-factor page belongs to */
  asked?: string;
  /** second-factor page: required level and reason for a new factor; the request supplies everything else */
  secondFactor?: { level: 2 | 3; why?: Extract<SecondFactorStep, { why: unknown }>['why'] };
  /** the session in which the user postponed second-factor setup */
  postponed?: string;
  /** the session created by proving a second factor in this interaction */
  proved?: string;
  /** TOTP secret shown on the setup page, sealed for its form */
  pendingTotp?: string;
  /** the correct password of a user who must replace it first, sealed (lib/sign-in) */
  owedPassword?: string;
  /** consent page fields (only in its form): user label and contents digest */
  shown?: { label: string; digest: string };
  /** digest of consented scopes plus session in this interaction */
  allowed?: string;
  /** the person said no */
  denied?: true;
  /** a denied user returned to the client */
  refused?: true;
  /** method unavailable; the user returned to the client */
  unavailable?: true;
  /** the broker sent no sign-in time, although the client requires it */
  untimed?: true;
  /** the user chose another account ("Not you?"), so no existing session is sufficient */
  switching?: true;
  /** device request (RFC 8628): hash of its code (base64url), and its expiry (milliseconds since 1970) */
  device?: { hash: string; endsAt: number };
  /** session used to approve a device */
  connected?: string;
  /** console sign-in without authorize request: path of the next page */
  console?: string;
  /** console session (base64url of its hash) that the sign-in confirms; no new session starts */
  proves?: string;
  /** message above the form, such as a failed attempt */
  alert?: Told;
  username?: string;
  /** an account in registration: row handle, email address, verification state and typed values */
  registering?: { handle: string; email: string; proved?: true; again?: true; name?: string };
};

/** The request in it. */
export type Kept = Pick<Interaction, 'query' | 'pushed'>;

const PURPOSE = 'interaction';

/** `proof`: facts a user proved or stated with a session. Valid for ten minutes from `startedAt`, never extended. */
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
 * Keeps only the request, for another ten minutes. No earlier sign-in satisfies its prompt=login, max_age or second
 * factor.
 */
export function renewInteraction(interaction: Interaction): Interaction {
  const entries = Object.entries(interaction) as [keyof Interaction, unknown][];
  const kept = Object.fromEntries(entries.filter(([member]) => MEMBERS[member] === 'request'));
  return { ...(kept as Interaction), startedAt: now().getTime() };
}

/** The Gatehouse page that handles a device request's return. Null for a client's request. */
export const ownReturnOf = ({ device }: Pick<Interaction, 'device'>): string | null =>
  device === undefined ? null : `${settings().authUrl}/device`;

/** Value of `allowed`: consent by this session to exactly these scopes. */
export function allowance(session: string, scopes: readonly string[]): string {
  return sha256([session, ...scopes.toSorted()].join(' ')).toString('base64url');
}

export function sealInteraction(interaction: Interaction): string {
  return seal(JSON.stringify(interaction), PURPOSE, settings().secrets);
}

/** Pages open the same interaction twice, reading language first and contents second. */
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

/** True if Gatehouse sealed the interaction, for any browser and at any time. */
export function isInteraction(sealed: string): boolean {
  return plainOf(sealed) !== null;
}

/** The API and client of a sealed interaction, regardless of browser. Null if Gatehouse did not seal it. */
export function requestOf(sealed: string): { apiId: string; clientId: string | null } | null {
  const plain = plainOf(sealed);
  if (plain === null) return null;
  const { apiId, query } = JSON.parse(plain) as Interaction;
  return { apiId, clientId: new URLSearchParams(query).get('client_id') };
}

/** The sealed interaction, or 'expired'; null: not sealed by Gatehouse, or bound to another browser. */
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

// Checks the sign-in strength of an authorize request (RFC 9470 §4, OpenID Connect Core §5.5.1.1). If too weak, the
// user proves or adds a second factor, or the client receives an error (docs/project/decisions/0023).

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

/** Throws UnmetAuthenticationRequirements if every sign-in of this issuer misses an essential acr. */
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

/** What counts beside the required strength. */
export type Asking = {
  strength: NeededStrength;
  /** no page can ask */
  silent: boolean;
  /** the person signed in for this very request */
  here: boolean;
  /** the user just postponed the second-factor setup */
  postponed: boolean;
  /** number of days that a user may postpone a required factor; 0: never */
  graceDays: number;
};

/** Equivalent inputs for the code-issuing statement. */
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

/** Offers setup once per sign-in, and stops in this request after the user chose Later. */
const offers = ({ strength, silent, here, postponed }: Asking) =>
  strength.policy === 'optional' && here && !postponed && !silent;

/** During the grace period, each sign-in shows the setup page once. Requests with an existing session continue. */
const asksInGrace = ({ here, postponed }: Asking) => here && !postponed;

/** `level`: the level that the proof, or the new factor, must reach. */
export type SecondFactorStep =
  | { kind: 'confirm'; level: 2 | 3 }
  | { kind: 'set-up'; level: 2 | 3; why: 'required' | 'grace' | 'offer' };

/** The step that the user must complete first. Null if the sign-in is strong enough. */
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
