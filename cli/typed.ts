// Parses command line input: whole numbers, times, passwords on standard input, and addresses. Reports wrong usage,
// and a short reason for a failed call to a server.
import { fstatSync } from 'node:fs';
import { now } from '#lib/kit/clock.ts';
import { isSafeAddress } from '#lib/kit/loopback.ts';
import { ownValue } from '#lib/kit/wire.ts';

/** The command cannot continue; the message is for the operator. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
}

/** Invalid arguments: exit status 2. */
export class WrongUsage extends Error {
  override name = 'WrongUsage';
}

export function wholeNumber(text: string, what: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new WrongUsage(`${what} must be a whole number`);
  return Number(text);
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a date, `now`, or a duration before now. */
export function timeOf(text: string, option: string): Date {
  if (text === 'now') return now();
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago) return new Date(now().getTime() - Number(ago[1]) * (ownValue(UNITS, ago[2] as string) ?? 0));
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new WrongUsage(`${option} ${text}: must be a date, now, or a duration such as 30m, 12h, 7d`);
  return date;
}

// Standard input, for passwords: they appear in no list of processes and no shell history.

/**
 * First line of piped input. `null`: terminal, or no input. Waits for a shell pipe until it closes. Parent programs may
 * pass a socket and never close it; `patience` limits this wait in milliseconds.
 */
export async function firstLine({ patience }: { patience?: number } = {}): Promise<string | null> {
  if (process.stdin.isTTY) return null;
  // a character of several bytes may be split over two chunks
  const chunks = process.stdin.setEncoding('utf8')[Symbol.asyncIterator]();
  let next = chunks.next();
  if (patience !== undefined && isSocket()) next = Promise.race([next, silence(patience)]);
  let text = '';
  for (let read = await next; !read.done; read = await chunks.next()) {
    text += read.value;
    if (text.includes('\n')) break;
  }
  const line = text.replace(/\r?\n[\s\S]*$/, '');
  return line === '' ? null : line;
}

function silence(milliseconds: number): Promise<IteratorReturnResult<undefined>> {
  return new Promise((resolve) => {
    setTimeout(() => resolve({ done: true, value: undefined }), milliseconds).unref();
  });
}

function isSocket(): boolean {
  try {
    return fstatSync(0).isSocket();
  } catch {
    return false;
  }
}

/** Origin of the typed service URL. */
export function originOf(server: string): string {
  if (!isSafeAddress(server))
    throw new WrongUsage('--server must be an https address (or http on localhost)');
  return new URL(server).origin;
}

// Short reason for a failed call to a server. Messages never contain tokens or codes.

const MOST = 300;

/** The deepest cause says most: `ECONNREFUSED` beneath `fetch failed`. */
export function inOneLine(error: unknown): string {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  const { code, message, error: oauth, error_description: described } = found as Record<string, unknown>;
  if (typeof oauth === 'string') return readable(described ? `${oauth}: ${described}` : oauth);
  const own = typeof code === 'string' && /^E[A-Z_]+$/.test(code) ? code : message;
  return readable(String(own || code || error));
}

const readable = (text: string): string => printable(text).slice(0, MOST);

/** A server chooses this text, so no line break and no control character may reach the terminal. */
export const printable = (text: string): string => text.replace(/[\p{C}\u2028\u2029]+/gu, ' ');
