// State for the page after a form: a notice, draft, test result or proof. Its address contains an id of 22 random
// characters. With a console session, the state is a sealed row in the database. Otherwise it is a sealed cookie, so
// that strangers cannot fill a table. An id that has expired, or belongs to another session or browser, is not found.
import { randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { now } from '#lib/kit/clock.ts';
import { sha256 } from '#lib/kit/random.ts';
import { sealBytes, unsealBytes } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import { findPageState, type PageState, storePageState, takePageState } from '#lib/store/hot/sessions.ts';
import { TRANSACTION_SECONDS } from './transaction.ts';

/**
 * Kinds of values in a console session. `outlivesSession`: true for drafts, which survive if the same user signs in
 * again.
 */
const IN_SESSION = {
  notice: { seconds: 600, outlivesSession: false },
  draft: { seconds: 3600, outlivesSession: true },
  'test result': { seconds: 600, outlivesSession: false },
  'proved sign-in': { seconds: 600, outlivesSession: false },
} as const;
type SessionKind = keyof typeof IN_SESSION;
type BrowserKind = 'draft' | 'owed password' | 'invitation form';

/** A stored value. `about`: the form or page that the value belongs to. */
type Stored<Kind> = { kind: Kind; about?: string };
export type StateReader = { id: string; session: { idHash: Uint8Array } };

/** Format of an id of 128 bits, base64url. */
const ID = /^[\w-]{22}$/;
export const isStateId = (value: string): boolean => ID.test(value);
const createId = () => randomBytes(16).toString('base64url');

const nameOf = ({ kind, about }: Stored<string>) => (about === undefined ? kind : `${kind} ${about}`);
const rowPurpose = (idHash: Uint8Array) => `page state ${Buffer.from(idHash).toString('base64url')}`;

/** Maximum size of a value, which is larger than the body of a form (at most 64 KiB). */
const MOST_BYTES = 262_144;

function sealValue(value: unknown, purpose: string): string | null {
  const text = Buffer.from(JSON.stringify(value));
  return text.length > MOST_BYTES ? null : sealBytes(deflateRawSync(text), purpose, settings().secrets);
}

function openValue(sealed: string, purpose: string): unknown {
  const packed = unsealBytes(sealed, purpose, settings().secrets);
  return packed === null ? null : JSON.parse(inflateRawSync(packed).toString());
}

/** Returns the id for the address, or null if the value exceeds the limit or the session has ended. */
export async function storeInSession(
  stored: Stored<SessionKind>,
  value: object,
  sessionHash: Uint8Array,
): Promise<string | null> {
  const id = createId();
  const idHash = sha256(id);
  const sealedValue = sealValue(value, rowPurpose(idHash));
  if (sealedValue === null) return null;
  const kind = nameOf(stored);
  const row = { idHash, kind, sessionHash, sealedValue, ...IN_SESSION[stored.kind] };
  return (await storePageState(row)) ? id : null;
}

type Found<Value> = { value: Value; secondsAgo: number } | null;

async function readRow<Value>(
  id: string | undefined,
  stored: Stored<SessionKind>,
  reader: StateReader,
  read: (asked: Parameters<typeof findPageState>[0]) => Promise<PageState | null>,
): Promise<Found<Value>> {
  if (id === undefined || !isStateId(id)) return null;
  const idHash = sha256(id);
  const stateQuery = {
    idHash,
    kind: nameOf(stored),
    personId: reader.id,
    sessionHash: reader.session.idHash,
  };
  const row = await read(stateQuery);
  const value = row && (openValue(row.sealedValue, rowPurpose(idHash)) as Value | null);
  return value === null ? null : { value, secondsAgo: row?.secondsAgo ?? 0 };
}

/** Finds a value in the session. `Value`: type of the values that are stored under this kind. */
export const findInSession = <Value extends object>(
  id: string | undefined,
  stored: Stored<SessionKind>,
  reader: StateReader,
): Promise<Found<Value>> => readRow(id, stored, reader, findPageState);

/** Like `findInSession`, but deletes the value, so that it is found only once. */
export const takeFromSession = <Value extends object>(
  id: string | undefined,
  stored: Stored<SessionKind>,
  reader: StateReader,
): Promise<Found<Value>> => readRow(id, stored, reader, takePageState);

/**
 * Limit of the cookie, because every request contains it in the same line as all other cookies, and proxies limit a
 * line to 8 KiB.
 */
const MAX_COOKIE = 1_000;
/** Maximum number of states in the cookie of a browser. If there are more, the oldest draft is dropped first. */
const MOST_IN_BROWSER = 4;

type InBrowser = { id: string; kind: string; value: object; until: number };

const cookieName = () => (settings().secureCookies ? '__Host-gatehouse-page' : 'gatehouse-page');
const COOKIE_PURPOSE = 'page states of a browser';

/** Returns the states in the cookie, the newest first. */
function readCookie(cookieHeader: string | undefined): InBrowser[] {
  const sealed = parseCookies(cookieHeader).get(cookieName());
  const opened = sealed ? openValue(sealed, COOKIE_PURPOSE) : null;
  return ((opened ?? []) as InBrowser[]).filter(({ until }) => until > now().getTime());
}

/**
 * Like `storeInSession`, but for a browser without an actor: the state expires after ten minutes. Returns the
 * Set-Cookie value.
 */
export function storeInBrowser(
  stored: Stored<BrowserKind>,
  value: object,
  cookieHeader: string | undefined,
): { id: string; cookie: string } | null {
  const id = createId();
  const until = now().getTime() + TRANSACTION_SECONDS * 1000;
  const states = [{ id, kind: nameOf(stored), value, until }, ...readCookie(cookieHeader)];
  while (states.length > 0) {
    const sealed = states.length > MOST_IN_BROWSER ? null : sealValue(states, COOKIE_PURPOSE);
    if (sealed !== null && sealed.length <= MAX_COOKIE) return { id, cookie: pageCookie(sealed) };
    const oldestDraft = states.findLastIndex((state, at) => at > 0 && state.kind === 'draft');
    states.splice(oldestDraft === -1 ? states.length - 1 : oldestDraft, 1);
  }
  return null;
}

function pageCookie(sealed: string): string {
  const { secureCookies: secure } = settings();
  return setCookie(cookieName(), sealed, { secure, sameSite: 'Strict', maxAge: TRANSACTION_SECONDS });
}

export function findInBrowser<Value extends object>(
  id: string | undefined,
  stored: Stored<BrowserKind>,
  cookieHeader: string | undefined,
): Value | null {
  if (id === undefined || !isStateId(id)) return null;
  const states = readCookie(cookieHeader);
  const kind = nameOf(stored);
  return (states.find((state) => state.id === id && state.kind === kind)?.value as Value) ?? null;
}

// A sign-in that starts no session: a console user proves a further sign-in method. The proof is stored for that
// console session for ten minutes.

export type ProvedSignIn = {
  authMethodId: string;
  /** the identity that the method proved */
  personId: string;
  /** revocation counter (epoch) of the method at the time when it verified the identity */
  methodEpoch: string;
  /** time of the proof, in milliseconds since 1970 */
  at: number;
};

const PROVED = { kind: 'proved sign-in' } as const;

/** Returns the id for the address, or null if the console session has ended. */
export const storeProvedSignIn = (
  provedSignIn: ProvedSignIn,
  sessionHash: Uint8Array,
): Promise<string | null> => storeInSession(PROVED, provedSignIn, sessionHash);

/** Returns null if this session has no such proof, or if the proof has expired. */
export async function findProvedSignIn(id: string, reader: StateReader): Promise<ProvedSignIn | null> {
  const storedSignIn = await findInSession<ProvedSignIn>(id, PROVED, reader);
  return storedSignIn !== null && isFreshProof(storedSignIn.value.at) ? storedSignIn.value : null;
}

export const isFreshProof = (at: number): boolean => now().getTime() - at <= TRANSACTION_SECONDS * 1000;

/** Maximum age of a sign-in to the console for the most harmful operations (case AD-12). */
export const RECENT_SECONDS = 15 * 60;
