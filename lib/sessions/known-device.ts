// Known-device cookie: accounts that signed in with this browser in the last 90 days. The cookie signs no user in. It
// gives the browser a separate limit on guesses, until the user's sessions end, for example after a change of the
// password.
import { z } from 'zod';
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { now } from '#lib/kit/clock.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import { hasPersonEpoch } from '#lib/store/hot/credentials.ts';

const SECONDS = 90 * 86_400;
const MAX_ACCOUNTS = 12;
const PURPOSE = 'known device';

/**
 * `name`: digest of the account's name. `at`: time of the sign-in. `epoch`: the user's revocation counter at the time
 * of that sign-in
 */
const entry = z.object({ name: z.string(), at: z.number(), personId: z.uuid(), epoch: z.string() });
const shape = z.object({ id: z.string(), accounts: z.array(entry) });
type Known = z.output<typeof shape>;

const name = () => (settings().secureCookies ? '__Host-gatehouse-device' : 'gatehouse-device');
const nameOf = (account: string) => sha256(account).toString('base64url').slice(0, 22);

function read(cookieHeader: string | undefined): Known {
  const cookie = parseCookies(cookieHeader).get(name()) ?? '';
  const device = unsealJson(shape, cookie, PURPOSE, settings().secrets) ?? {
    id: randomToken(''),
    accounts: [],
  };
  const oldest = now().getTime() - SECONDS * 1000;
  return { ...device, accounts: device.accounts.filter((account) => account.at > oldest) };
}

/** Returns the entry of the account in the cookie. Null if the account has not signed in with this browser before. */
export function readKnownDevice(
  cookieHeader: string | undefined,
  account: string,
): { id: string; personId: string; epoch: string } | null {
  const { id, accounts } = read(cookieHeader);
  const knownAccount = accounts.find(({ name: own }) => own === nameOf(account));
  return knownAccount ? { id, personId: knownAccount.personId, epoch: knownAccount.epoch } : null;
}

/**
 * The id of this browser. Null if the account did not sign in with this browser, or if its sign-ins have ended since.
 */
export async function findKnownDevice(
  cookieHeader: string | undefined,
  account: string,
): Promise<string | null> {
  const knownDevice = readKnownDevice(cookieHeader, account);
  return knownDevice && (await hasPersonEpoch(knownDevice.personId, knownDevice.epoch))
    ? knownDevice.id
    : null;
}

/**
 * Returns the Set-Cookie value that adds the accounts of this person. Accounts that the cookie already contains for
 * this person stay known until their 90 days end, even if their sign-ins have ended, because the person has just proved
 * an account again.
 */
export function rememberDevice(
  cookieHeader: string | undefined,
  names: readonly string[],
  { personId, personEpoch: epoch }: { personId: string; personEpoch: string },
): string {
  const { id, accounts } = read(cookieHeader);
  const proved = new Set(names.map(nameOf));
  const at = now().getTime();
  const renewed = [...proved].map((name) => ({ name, at, personId, epoch }));
  const others = accounts
    .filter((known) => !proved.has(known.name))
    .map((known) => (known.personId === personId ? { ...known, epoch } : known));
  const next: Known = { id, accounts: [...renewed, ...others].slice(0, MAX_ACCOUNTS) };
  return setCookie(name(), sealJson(next, PURPOSE, settings().secrets), {
    secure: settings().secureCookies,
    sameSite: 'Lax',
    maxAge: SECONDS,
  });
}
