// How often documents are fetched, for strangers can name any address in a link: each URL, each host and each caller
// has a share of a minute, and so have all strangers together; few calls wait at once. The clients that people use have
// books of their own: a stranger must not keep a document of theirs from being read again, which may have taken a key
// out. A client is one that people use once a subscription of it is approved: until then its own owner is a stranger,
// who can ask for fetches at the token address. What is counted is what was called, so no more is remembered than was
// allowed. It counts for one process.
import { addressBlock } from '#lib/http/peer-address.ts';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { ClientDocumentUnavailable } from './errors.ts';

const WINDOW_MS = 60_000;
/** Calls in a minute. */
const SHARES = { url: 6, host: 30, caller: 30, callerAtHost: 15, strangers: 300, clients: 600 };
/** Calls at once. */
const AT_ONCE = { host: 4, strangers: 32, clients: 32 };

/** `caller`: the address that asks, null where it is unknown. `known`: a client with an approved subscription. */
export type DocumentAsker = { caller?: string | null | undefined; known?: boolean | undefined };

type Counted = { calls: number; until: number };
type Books = { counted: Map<string, Counted>; running: Map<string, number> };

// one for the process, shared by both doors
const slot = processWide<Books>('client-document-calls');

/** Runs the call, or throws ClientDocumentUnavailable without running it. */
export async function governed<T>(url: string, asker: DocumentAsker, call: () => Promise<T>): Promise<T> {
  const { counted, running } = books();
  const host = new URL(url).hostname;
  const all = asker.known ? 'clients' : 'strangers';
  const shares: [key: string, share: number][] = [
    [all, SHARES[all]],
    [`${all} host ${host}`, SHARES.host],
    [`${all} url ${url}`, SHARES.url],
    ...callerShares(asker, host),
  ];
  const places: [key: string, most: number][] = [
    [all, AT_ONCE[all]],
    [`${all} host ${host}`, AT_ONCE.host],
  ];
  forgetPast(counted);
  const spent = shares.find(([key, share]) => (counted.get(key)?.calls ?? 0) >= share);
  if (spent) throw tooOften(Math.ceil(((counted.get(spent[0])?.until ?? 0) - time()) / 1_000));
  if (places.some(([key, most]) => (running.get(key) ?? 0) >= most)) throw tooOften(1);
  for (const [key] of shares) count(counted, key);
  for (const [key] of places) running.set(key, (running.get(key) ?? 0) + 1);
  try {
    return await call();
  } finally {
    for (const [key] of places) release(running, key);
  }
}

/** None where no address is known: one caller would use up the share of all. */
function callerShares({ caller, known }: DocumentAsker, host: string): [key: string, share: number][] {
  if (known || !caller) return [];
  const block = addressBlock(caller);
  return [
    [`caller ${block}`, SHARES.caller],
    [`caller ${block} at ${host}`, SHARES.callerAtHost],
  ];
}

const time = () => now().getTime();

function books(): Books {
  slot.value ??= { counted: new Map(), running: new Map() };
  return slot.value;
}

/** The map is in the order in which windows began, so those that are over come first. */
function forgetPast(counted: Map<string, Counted>): void {
  for (const [key, { until }] of counted) {
    if (until > time()) return;
    counted.delete(key);
  }
}

function count(counted: Map<string, Counted>, key: string): void {
  const one = counted.get(key) ?? { calls: 0, until: time() + WINDOW_MS };
  one.calls += 1;
  counted.set(key, one);
}

function release(running: Map<string, number>, key: string): void {
  const left = (running.get(key) ?? 1) - 1;
  if (left > 0) running.set(key, left);
  else running.delete(key);
}

const tooOften = (seconds: number) =>
  new ClientDocumentUnavailable(
    'Too many documents were asked for a moment ago. Try again in a minute.',
    Math.max(1, seconds),
  );
