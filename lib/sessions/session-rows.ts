// What a sign-in session and a console session have in common: how one starts, and how a second proof raises it.
import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { settings } from '#lib/settings/settings.ts';
import { createSession, raiseSessionRow } from '#lib/store/hot/sessions.ts';
import { mint } from '#lib/tokens/formats.ts';

// Session cookies, of sign-ins and of the console: iron-session seals them under keys derived from GATEHOUSE_SECRET
// (docs/decisions/0011). Each purpose has keys of its own, so a cookie of one is none of the other. The first secret
// seals and all of them open.

// Session cookies that opened lately: iron-session takes more CPU to open one than authorize in all, and a browser
// sends the same cookie with each request. Only what was sealed here is kept, so a forged cookie takes no place.

export type Opened = { until: number; held?: unknown };

/** 3 MB, of cookies with one method each. */
const MOST = 10_000;

const slot = processWide<Map<string, Opened>>('opened session cookies');

/** `name`: a digest of the cookie and its purpose. */
export function openedBefore(name: string): Opened | undefined {
  const opened = slot.value?.get(name);
  if (opened) keepOpened(name, opened);
  return opened;
}

/** Of too many the one that was not asked for longest goes. */
export function keepOpened(name: string, opened: Opened): void {
  slot.value ??= new Map();
  const kept = slot.value;
  kept.delete(name);
  if (kept.size >= MOST) kept.delete(kept.keys().next().value ?? '');
  kept.set(name, opened);
}

export type CookiePurpose = 'sign-in session' | 'console session';

/** Loaded for the first session: a process that only gives tokens has none. */
const iron = () => import('iron-session');

/** `until`: milliseconds since 1970 by the database's clock, which iron-session's own time to live does not know. */
const envelope = z.object({ until: z.number(), held: z.unknown() });

/** Browsers keep no longer cookie. */
const MAX_LENGTH = 4_096;
/**
 * Key id, salt, iv, ciphertext, no time to live, salt, digest, in their one spelling: anything else costs no key
 * derivation.
 */
const SEAL =
  /^Fe26\.2\*(\d{1,15})\*[0-9a-f]{64}\*[\w-]{22}\*[\w-]+\*\*[0-9a-f]{64}\*[\w-]{42}[AEIMQUYcgkosw048]~2$/;

type Keys = { newest: Record<string, string>; all: Record<string, string> };
const derived = new Map<CookiePurpose, { secrets: readonly string[]; keys: Keys }>();

/** By purpose, numbered by what they are: iron-session names keys by numbers and seals with the highest. */
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

/** The value; null for a cookie that was not sealed here for this purpose, or too long ago, and for no cookie. */
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
  // what does not open comes out as an empty object
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
  /** the method's when it was asked; null: it was not (a new password) */
  methodEpoch: string | null;
  /** keys of the limits that the sign-in was counted under */
  attempts?: string[] | undefined;
  /** when the person authenticated, if earlier than now */
  authTime?: Date | undefined;
  /** how they proved it (RFC 8176), and a broker's `acr` */
  amr?: string[] | undefined;
  brokerAcr?: string | null | undefined;
  /** how strong that is; left out: 1 */
  acrLevel?: 1 | 2 | 3 | undefined;
};

/** A second proof: whose it is and its level. `FactorProof` of lib/factors has this shape. */
type SecondProof = { kind: string; level: 2 | 3; amr: readonly string[] };
export type RaisedBy = Sender & { authMethodId: string; personId: string; proof: SecondProof };

type Raise = Parameters<typeof raiseSessionRow>[0];
type Minted = { value: string; hash: Buffer };

/** `replaces`: the session of this browser that ends. Null: as `startSession` says. */
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
    // with the first factor, which the session has, these are two (RFC 8176 §2, `mfa`)
    amr: [...proof.amr, 'mfa'],
    trusted,
    ip,
    userAgent,
    requestId,
  });
  return raised ? minted : null;
}
