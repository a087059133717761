// Parses input of the command line: whole numbers, times, passwords on standard input, and addresses. Reports wrong
// usage, and the reason why a call to a server failed.
import { fstatSync } from 'node:fs';
import { now } from '#lib/kit/clock.ts';
import { isSafeAddress } from '#lib/kit/loopback.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { type DisplayText, languageTag, plainText } from '#lib/registry/display-text.ts';

/** The command cannot continue; the message is for the operator. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
}

/** Error for wrong arguments, which ends the command with exit status 2. */
export class WrongUsage extends Error {
  override name = 'WrongUsage';
}

export function wholeNumber(text: string, what: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new WrongUsage(`${what} must be a whole number`);
  return Number(text);
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a date, `now`, or a duration before the present time. */
export function timeOf(text: string, option: string): Date {
  if (text === 'now') return now();
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago) return new Date(now().getTime() - Number(ago[1]) * (ownValue(UNITS, ago[2] as string) ?? 0));
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new WrongUsage(`${option} ${text}: must be a date, now, or a duration such as 30m, 12h, 7d`);
  return date;
}

// Reads passwords from standard input, because arguments appear in the list of processes and in the shell's history.

/**
 * Returns the first line of piped input. `null`: the input is a terminal, or empty. Waits until a shell closes its
 * pipe. A parent program may pass a socket that it never closes; `patience` limits this wait, in milliseconds.
 */
export async function firstLine({ patience }: { patience?: number } = {}): Promise<string | null> {
  if (process.stdin.isTTY) return null;
  // two chunks can contain parts of one character
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

/** Returns the origin of the service's URL, from the text that the operator typed. */
export function originOf(server: string): string {
  if (!isSafeAddress(server))
    throw new WrongUsage('--server must be an https address (or http on localhost)');
  return new URL(server).origin;
}

/** True for a language tag, the key of a name in several languages. `und`: unknown language. */
const isTag = (key: string) => key === 'und' || languageTag(key) !== null;

/** A value of a response as text: a name in several languages as one name, and any other object as JSON. */
export function inText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  const texts = Array.isArray(value) ? [] : Object.entries(value);
  const isName = texts.length > 0 && texts.every(([tag, text]) => isTag(tag) && typeof text === 'string');
  return isName ? plainText(value as DisplayText) : JSON.stringify(value);
}

// A short reason why a call to a server failed. Messages never contain tokens or codes.

const MOST = 300;

/** The innermost cause is the most specific: `ECONNREFUSED` below `fetch failed`. */
export function inOneLine(error: unknown): string {
  let rootCause = error;
  while (rootCause instanceof Error && rootCause.cause instanceof Error) rootCause = rootCause.cause;
  const { code, message, error: oauth, error_description: described } = rootCause as Record<string, unknown>;
  if (typeof oauth === 'string') return readable(described ? `${oauth}: ${inText(described)}` : oauth);
  const reason = typeof code === 'string' && /^E[A-Z_]+$/.test(code) ? code : message;
  return readable(inText(reason || code) || String(error));
}

const readable = (text: string): string => printable(text).slice(0, MOST);

/** Prepares a text that the server chose for the terminal: removes line breaks and control characters. */
export const printable = (text: string): string => text.replace(/[\p{C}\u2028\u2029]+/gu, ' ');
