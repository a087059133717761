// The kept sign-in of a server as what proves who acts there. An access token that ends is renewed, by one command at a
// time: a refresh token works once.
import { now } from '#lib/kit/clock.ts';
import { bearer, type Credentials } from '../remote.ts';
import { CommandFailed, WrongUsage } from '../typed.ts';
import { withFileLock } from './file-lock.ts';
import { readResource } from './issuer.ts';
import { ensureFolder, fileOf, forget, type KeptSignIn, keep, readKept, signInCommand } from './kept.ts';
import { proofOfCall } from './key.ts';
import { refresh } from './tokens.ts';

/** A request that is sent before the end must not arrive after it. */
const AHEAD_MS = 30_000;

/** `token`: what was typed, or is in the environment, comes before a sign-in that is kept. */
export async function credentialsOf(server: string, token: string | null): Promise<Credentials> {
  if (token !== null) return bearer(token);
  const found = await readKept(server);
  if (found === null)
    throw new WrongUsage(
      `no one is signed in at ${server}: ${signInCommand(server)}, or --token TOKEN (or GATEHOUSE_TOKEN, which no list of processes shows)`,
    );
  let current: KeptSignIn = found;
  let nonce: string | null = null;
  return {
    again: signInCommand(server),
    async headersFor(request) {
      if (endsSoon(current)) current = await renew(current);
      const { access_token: token, dpop_key: key } = current;
      if (key === null) return { authorization: `Bearer ${token}` };
      const proof = proofOfCall(key, { ...request, token, nonce });
      return { authorization: `DPoP ${token}`, dpop: proof };
    },
    takeNonce(given) {
      nonce = given;
      return current.dpop_key !== null;
    },
    async renew() {
      current = await renew(current);
      return true;
    },
  };
}

const endsSoon = ({ expires_at }: KeptSignIn) => Date.parse(expires_at) - AHEAD_MS < now().getTime();

/** `seen`: whose access token is of no use. */
async function renew(seen: KeptSignIn): Promise<KeptSignIn> {
  const { server } = seen;
  await ensureFolder();
  return withFileLock(fileOf(server), async () => {
    const current = await readKept(server);
    if (current === null) throw ended(server);
    // another command was first
    if (current.access_token !== seen.access_token && !endsSoon(current)) return current;
    const { refresh_token } = current;
    const next = refresh_token === null ? null : await refreshAt(server, { ...current, refresh_token });
    // a process that was suspended for long has lost the lock, and another command may have kept a successor
    const meanwhile = await readKept(server);
    if (meanwhile !== null && meanwhile.refresh_token !== refresh_token) return meanwhile;
    if (next === null) {
      await forget(server);
      throw ended(server);
    }
    await keep(next);
    return next;
  });
}

/** The refresh token goes to no issuer that the server does not name any more. */
async function refreshAt(server: string, current: KeptSignIn & { refresh_token: string }) {
  const { issuers } = await readResource(server);
  if (!issuers.includes(current.issuer))
    throw new CommandFailed(
      `${server} no longer names the issuer ${current.issuer}: sign in again: ${signInCommand(server)}`,
    );
  return refresh(current);
}

const ended = (server: string) =>
  new CommandFailed(`the sign-in at ${server} has ended: sign in again: ${signInCommand(server)}`);
