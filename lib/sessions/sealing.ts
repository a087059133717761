// iron-session's seals with GATEHOUSE_SECRET. Each secret has a stable number, so that a new one in front signs nobody out.
import { sealData } from 'iron-session';
import { sha256 } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { openSeal } from './iron.ts';

const VERSION = '~2';

function numbered(secrets: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    secrets.map((secret) => [String(sha256(`session:${secret}`).readUInt32BE(0)), secret]),
  );
}

export function sealCookie(value: object): Promise<string> {
  return sealData(value, { password: numbered(settings().secrets.slice(0, 1)), ttl: 0 });
}

/** The value, or null for anything that was not sealed here. */
export async function openCookie<T extends object>(sealed: string | undefined): Promise<T | null> {
  if (!sealed?.endsWith(VERSION)) return null;
  const text = openSeal(sealed.slice(0, -VERSION.length), numbered(settings().secrets));
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as T) : null;
  } catch {
    return null;
  }
}
