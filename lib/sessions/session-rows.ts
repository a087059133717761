// Code shared by sign-in and console sessions: starts a session, and raises a session with a second proof.
import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { settings } from '#lib/settings/settings.ts';
import { createSession, raiseSessionRow } from '#lib/store/hot/sessions.ts';
import { mint } from '#lib/tokens/formats.ts';

// Session cookies for sign-ins and the console. iron-session seals them under keys derived from GATEHOUSE_SECRET
// (docs/project/decisions/0011). Separate keys per purpose: a cookie never opens for a second purpose. The first secret seals,
// every secret opens.

// Cache of recently opened session cookies. Opening a cookie with iron-session costs more CPU than the rest of an
// authorize request, and browsers send the same cookie repeatedly. The cache stores valid seals only, so forged cookies
// use no space.

export type Opened = { until: number; held?: unknown };

/** 3 MB for cookies with a single method. */
const MOST = 10_000;

const slot = processWide<Map<string, Opened>>('opened session cookies');

/** `name`: digest of cookie and purpose. */
export function openedBefore(name: string): Opened | undefined {
  const opened = slot.value?.get(name);
  if (opened) keepOpened(name, opened);
  return opened;
}

/** Evicts the least recently used cookie above the limit. */
export function keepOpened(name: string, opened: Opened): void {
  slot.value ??= new Map();
  const kept = slot.value;
  kept.delete(name);
  if (kept.size >= MOST) kept.delete(kept.keys().next().value ?? '');
  kept.set(name, opened);
}

export type CookiePurpose = 'sign-in session' | 'console session';

/** Imported with the first session, because processes that just issue tokens need no sessions. */
const iron = () => import('iron-session');

/**
 * `until`: milliseconds since 1970 by the database's clock. iron-session's own time to live uses the process's clock.
 */
const envelope = z.object({ until: z.number(), held: z.unknown() });

/** Browsers keep no longer cookie. */
const MAX_LENGTH = 4_096;
/**
 * Key id, salt, iv, ciphertext, no time to live, salt and digest, in their only spelling. Other texts are rejected
 * without a key derivation.
 */
const SEAL =
  /^Fe26\.2\*(\d{1,15})\*[0-9a-f]{64}\*[\w-]{22}\*[\w-]+\*\*[0-9a-f]{64}\*[\w-]{42}[AEIMQUYcgkosw048]~2$/;

type Keys = { newest: Record<string, string>; all: Record<string, string> };
const derived = new Map<CookiePurpose, { secrets: readonly string[]; keys: Keys }>();

/**
 * Keys of a purpose. Their numbers depend on their content, because iron-session identifies keys by numbers and seals
 * with the highest.
 */
function keysOf(purpose: CookiePurpose): Keys {
  const { secrets } = settings();
  const known = derived.get(purpose);
  if (known?.secrets === secrets) return known.keys;
  const numbered = secrets.map((secret) => {
    const key = Buffer.from(hkdfSync('sha256', secret, 'gatehouse', purpose, 32)).toString('base64url');
    return [String(sha256(`gatehouse key id:${key}`).readUIntBE(0, 6)), key] as const;
  });
  const keys = { newest: Object.fromEntries(numbered.slice(0, 1)), all: Object.fromEntries(numbered) };
  derived.set(purpose, { secrets, keys });
  return keys;
}

const nameOf = (cookie: string, purpose: CookiePurpose) =>
  sha256(`${purpose} ${cookie}`).toString('base64url');

/** For SESSION_MAX. */
export async function sealCookie(value: object, purpose: CookiePurpose): Promise<string> {
  const sealed = { until: now().getTime() + settings().sessionMaxSeconds * 1000, held: value };
  const { sealData } = await iron();
  const cookie = await sealData(sealed, { password: keysOf(purpose).newest, ttl: 0 });
  keepOpened(nameOf(cookie, purpose), sealed);
  return cookie;
}

/**
 * Returns the cookie's value, or null if the cookie is missing, expired, for another purpose, or its seal is invalid.
 */
export async function openCookie<Value>(
  shape: z.ZodType<Value>,
  cookie: string | undefined,
  purpose: CookiePurpose,
): Promise<Value | null> {
  const keys = keysOf(purpose).all;
  const keyId = cookie !== undefined && cookie.length <= MAX_LENGTH && SEAL.exec(cookie)?.[1];
  if (!keyId || !Object.hasOwn(keys, keyId)) return null;
  const opened = await open(cookie, purpose, keys);
  return opened && opened.until > now().getTime() ? (shape.safeParse(opened.held).data ?? null) : null;
}

async function open(cookie: string, purpose: CookiePurpose, keys: Record<string, string>) {
  const name = nameOf(cookie, purpose);
  const before = openedBefore(name);
  if (before) return before;
  const { unsealData } = await iron();
  // iron-session returns an empty object for an invalid seal
  const { data: opened = null } = envelope.safeParse(await unsealData(cookie, { password: keys }));
  if (opened) keepOpened(name, opened);
  return opened;
}

type Sender = {
  cookieHeader: string | undefined;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
};

export type SessionStart = Sender & {
  authMethodId: string;
  personId: string;
  personEpoch: string;
  /** epoch of the method during the check; null if no method was involved (new password) */
  methodEpoch: string | null;
  /** limit keys that counted this sign-in */
  attempts?: string[] | undefined;
  /** when the person authenticated, if earlier than now */
  authTime?: Date | undefined;
  /** authentication methods (RFC 8176), and `acr` of the broker */
  amr?: string[] | undefined;
  brokerAcr?: string | null | undefined;
  /** how strong that is; left out: 1 */
  acrLevel?: 1 | 2 | 3 | undefined;
};

/** Second proof: factor kind and level. `FactorProof` of lib/factors has this shape. */
type SecondProof = { kind: string; level: 2 | 3; amr: readonly string[] };
export type RaisedBy = Sender & { authMethodId: string; personId: string; proof: SecondProof };

type Raise = Parameters<typeof raiseSessionRow>[0];
type Minted = { value: string; hash: Buffer };

/** `replaces`: this browser's session, which ends. Returns null under the conditions of `startSession`. */
export async function insertSession(
  kind: Raise['kind'],
  input: SessionStart,
  { replaces, trustedBrowser = null }: { replaces: Buffer | null; trustedBrowser?: Buffer | null },
): Promise<Minted | null> {
  const minted = mint('session');
  const created = await createSession({
    idHash: minted.hash,
    kind,
    authMethodId: input.authMethodId,
    personId: input.personId,
    personEpoch: input.personEpoch,
    methodEpoch: input.methodEpoch,
    attempts: input.attempts ?? [],
    authTime: input.authTime ?? null,
    amr: input.amr ?? [],
    brokerAcr: input.brokerAcr ?? null,
    acrLevel: input.acrLevel ?? 1,
    trustedBrowser,
    maxSeconds: settings().sessionMaxSeconds,
    replaces,
    ip: input.ip,
    userAgent: input.userAgent,
    requestId: input.requestId,
  });
  return created ? minted : null;
}

/** Null: as `raiseSession` says. */
export async function insertRaised(
  kind: Raise['kind'],
  { authMethodId, personId, proof, ip, userAgent, requestId }: RaisedBy,
  { raises, trusted }: Pick<Raise, 'raises' | 'trusted'>,
): Promise<Minted | null> {
  const minted = mint('session');
  const raised = await raiseSessionRow({
    kind,
    idHash: minted.hash,
    raises,
    authMethodId,
    personId,
    idleSeconds: settings().sessionIdleSeconds,
    factor: proof.kind,
    level: proof.level,
    // The session already contains the first factor, so the second one adds `mfa` (RFC 8176 §2).
    amr: [...proof.amr, 'mfa'],
    trusted,
    ip,
    userAgent,
    requestId,
  });
  return raised ? minted : null;
}
