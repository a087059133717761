// iron-session's seals under GATEHOUSE_SECRET. Each secret has a stable number, so a new one can be put in front
// without signing anybody out.
import { sealData, unsealData } from 'iron-session';
import { sha256 } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';

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
  // without its version the library would take a seal for one of an older kind
  if (!sealed?.endsWith(VERSION)) return null;
  try {
    const value = await unsealData<T>(sealed, { password: numbered(settings().secrets), ttl: 0 });
    return Object.keys(value).length === 0 ? null : value;
  } catch {
    return null;
  }
}
