// What the proxy asks before a page of the console: its status, and where nobody is signed in the cookie that the
// sign-in form is bound to. No lock: the page asks again.
import { factsOfHeaders } from '#app/_plain.ts';
import { Refused } from '#lib/management/index.ts';
import { openTransaction, readConsoleActor } from '#lib/sessions/index.ts';
import { sentence } from '../_forms/respond.ts';
import { findGate } from './addresses.ts';

export type Knock =
  /** show the page */
  | { kind: 'in' }
  /** show the sign-in form; the cookie is for the browser and for this very request */
  | { kind: 'nobody'; cookie: string }
  | { kind: 'refused'; status: number; heading: string; message: string };

const CONSOLE = /^\/(?:account|developer|admin)(?:\/|$)/;
const WORDS: Record<number, string> = { 403: 'You may not see this', 404: 'It is not there' };

/** Null: not a page of the console. */
export async function knock(pathname: string, headers: Headers): Promise<Knock | null> {
  if (!CONSOLE.test(pathname)) return null;
  const found = findGate(pathname);
  if (!found) {
    return { kind: 'refused', status: 404, heading: 'There is no such page', message: MISTYPED };
  }
  const cookieHeader = headers.get('cookie') ?? undefined;
  const actor = await readConsoleActor(cookieHeader, factsOfHeaders(headers));
  if (!actor) return { kind: 'nobody', cookie: openTransaction(cookieHeader).cookie };
  if (found.gate === 'anyone') return { kind: 'in' };
  try {
    await found.gate(actor, found.params);
    return { kind: 'in' };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const status = error.kind === 'forbidden' ? 403 : error.kind === 'not-found' ? 404 : 200;
    // what the page itself can explain better
    if (status === 200) return { kind: 'in' };
    return { kind: 'refused', status, heading: WORDS[status] ?? '', message: sentence(error.message) };
  }
}

const MISTYPED = 'The address is mistyped, or what was here is gone.';
