// The known-device cookie: the accounts that were used in this browser during the last 90 days. It signs nobody in; it gives
// this browser a limit of its own, which strangers cannot use up.
import { parseCookies, setCookie } from '#lib/http/index.ts';
import { now, randomToken, seal, sha256, unseal } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';

const SECONDS = 90 * 86_400;
const MAX_ACCOUNTS = 20;
const PURPOSE = 'known device';

type Known = { id: string; accounts: { name: string; at: number }[] };

const name = () => (settings().secureCookies ? '__Host-gatehouse-device' : 'gatehouse-device');
const nameOf = (account: string) => sha256(account).toString('base64url').slice(0, 22);

function read(cookieHeader: string | undefined): Known {
  const plain = unseal(parseCookies(cookieHeader).get(name()) ?? '', PURPOSE, settings().secrets);
  const known = plain === null ? { id: randomToken(''), accounts: [] } : (JSON.parse(plain) as Known);
  const oldest = now().getTime() - SECONDS * 1000;
  return { ...known, accounts: known.accounts.filter((account) => account.at > oldest) };
}

/** This browser's id, if the account was signed in with here before. */
export function readKnownDevice(cookieHeader: string | undefined, account: string): string | null {
  const { id, accounts } = read(cookieHeader);
  return accounts.some((known) => known.name === nameOf(account)) ? id : null;
}

/** The Set-Cookie value with which this browser knows the account. */
export function rememberDevice(cookieHeader: string | undefined, account: string): string {
  const { id, accounts } = read(cookieHeader);
  const others = accounts.filter((known) => known.name !== nameOf(account));
  const next: Known = {
    id,
    accounts: [{ name: nameOf(account), at: now().getTime() }, ...others].slice(0, MAX_ACCOUNTS),
  };
  return setCookie(name(), seal(JSON.stringify(next), PURPOSE, settings().secrets), {
    secure: settings().secureCookies,
    sameSite: 'Lax',
    maxAge: SECONDS,
  });
}
