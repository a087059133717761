// Code that sign-in sessions and console sessions share: starting a session, and raising its level by a second proof.
import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { settings } from '#lib/settings/settings.ts';
import { createSession, raiseSessionRow } from '#lib/store/hot/sessions.ts';
import { mint } from '#lib/tokens/formats.ts';

// Session cookies for sign-ins and the console. iron-session seals them under keys derived from GATEHOUSE_SECRET
// (docs/project/decisions/0011). Each purpose has separate keys, so a cookie cannot be opened for another purpose.
// The first secret is used for sealing, and every secret for opening.

// Cache of recently opened session cookies. Opening a cookie with iron-session costs more CPU than the rest of an
// authorize request, and browsers send the same cookie repeatedly. The cache contains only valid cookies, so forged
// cookies use no space.

export type Opened = { until: number; held?: unknown };

/** Maximum number of cached cookies. This number of cookies with a single method takes 3 MB. */
const MOST = 10_000;

const slot = processWide<Map<string, Opened>>('opened session cookies');

/**
 * Returns the content of a cookie that this process has opened before. `name`: digest of the cookie and its purpose.
 */
export function openedBefore(name: string): Opened | undefined {
  const opened = slot.value?.get(name);
  if (opened) keepOpened(name, opened);
  return opened;
}

/** Adds a cookie. Above the limit, evicts the cookie that was not used for the longest time. */
export function keepOpened(name: string, opened: Opened): void {
  slot.value ??= new Map();
  const cache = slot.value;
  cache.delete(name);
  if (cache.size >= MOST) cache.delete(cache.keys().next().value ?? '');
  cache.set(name, opened);
}

export type CookiePurpose = 'sign-in session' | 'console session';

/** Loads the library with the first session, because a process that only issues tokens needs no sessions. */
const iron = () => import('iron-session');

/**
 * `until`: milliseconds since 1970 by the clock of the database, whereas iron-session's time to live uses the clock
 * of the process.
 */
const envelope = z.object({ until: z.number(), held: z.unknown() });

/** Maximum length of a cookie that browsers store. */
const MAX_LENGTH = 4_096;
/**
 * Form of a sealed cookie in its only spelling: key id, salt, iv, ciphertext, no time to live, salt and digest. Other
 * texts are rejected before keys are derived.
 */
const SEAL =
  /^Fe26\.2\*(\d{1,15})\*[0-9a-f]{64}\*[\w-]{22}\*[\w-]+\*\*[0-9a-f]{64}\*[\w-]{42}[AEIMQUYcgkosw048]~2$/;

type Keys = { newest: Record<string, string>; all: Record<string, string> };
const derived = new Map<CookiePurpose, { secrets: readonly string[]; keys: Keys }>();

/**
 * Keys of a purpose. Their numbers depend on their content, because iron-session identifies keys by numbers and seals
 * with the highest number.
 */
function keysOf(purpose: CookiePurpose): Keys {
  const { secrets } = settings();
  const cachedKeys = derived.get(purpose);
  if (cachedKeys?.secrets === secrets) return cachedKeys.keys;
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

/** Seals a cookie, which is valid for SESSION_MAX. */
export async function sealCookie(value: object, purpose: CookiePurpose): Promise<string> {
  const sealed = { until: now().getTime() + settings().sessionMaxSeconds * 1000, held: value };
  const { sealData } = await iron();
  const cookie = await sealData(sealed, { password: keysOf(purpose).newest, ttl: 0 });
  keepOpened(nameOf(cookie, purpose), sealed);
  return cookie;
}

/**
 * Returns the value of the cookie. Returns null if the cookie is missing or expired, has another purpose, or its seal
 * is invalid.
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
  // for an invalid seal, iron-session returns an empty object
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
  /** revocation counter (epoch) of the method during the check; null: no method took part (new password) */
  methodEpoch: string | null;
  /** keys of the limits in which this sign-in was counted */
  attempts?: string[] | undefined;
  /** when the person authenticated, if before now */
  authTime?: Date | undefined;
  /** authentication methods (RFC 8176), and `acr` of the broker */
  amr?: string[] | undefined;
  brokerAcr?: string | null | undefined;
  /** level of the sign-in; default: 1 */
  acrLevel?: 1 | 2 | 3 | undefined;
};

/** A second proof of the user: kind and level of the factor. `FactorProof` of lib/factors has this shape. */
type SecondProof = { kind: string; level: 2 | 3; amr: readonly string[] };
export type RaisedBy = Sender & { authMethodId: string; personId: string; proof: SecondProof };

type Raise = Parameters<typeof raiseSessionRow>[0];
type Minted = { value: string; hash: Buffer };

/**
 * `replaces`: the present session of this browser, which ends. Returns null under the same conditions as
 * `startSession`.
 */
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

/** Returns null under the same conditions as `raiseSession`. */
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
    // The session already contains the first factor, so the second factor adds `mfa` (RFC 8176 §2).
    amr: [...proof.amr, 'mfa'],
    trusted,
    ip,
    userAgent,
    requestId,
  });
  return raised ? minted : null;
}
