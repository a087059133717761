// A person signs in at the management API of a server, in their browser: the code flow with PKCE of a program on their
// machine (RFC 8252). What it gave is kept.
import { CommandFailed } from '../typed.ts';
import { withFileLock } from './file-lock.ts';
import { chooseIssuer, openIssuer, readResource, resourceOf } from './issuer.ts';
import { ensureFolder, fileOf, type KeptSignIn, keep, readAnyKept } from './kept.ts';
import { newKey } from './key.ts';
import { openLoopback } from './loopback.ts';
import { prepareRequest } from './request.ts';
import { redeem, revoke } from './tokens.ts';

/** The client that an administrator registers for it, unless another one is named. */
export const CLIENT_ID = 'gatehouse-cli';

export type SignInAsked = {
  server: string;
  clientId: string;
  method?: string | undefined;
  scope?: string | undefined;
  acr?: string | undefined;
  /** of the loopback address; 0: any */
  port: number;
  patienceMs: number;
  /** where the person signs in */
  onAddress: (address: string) => void;
  /** the loopback address was called with another answer */
  onStranger: () => void;
};

export async function signIn(asked: SignInAsked): Promise<KeptSignIn> {
  const { server, clientId, scope, acr } = asked;
  await ensureFolder();
  const { issuers, scopes } = await readResource(server);
  const issuer = await openIssuer(chooseIssuer(server, issuers, asked.method), clientId);
  const loopback = await openLoopback(asked.port);
  try {
    const { redirectUri } = loopback;
    const resource = resourceOf(server);
    const key = await newKey(issuer);
    const request = await prepareRequest(issuer, { resource, redirectUri, scope, offered: scopes, acr, key });
    const answered = within(asked.patienceMs, loopback.answer(request.state, asked.onStranger));
    asked.onAddress(request.address.href);
    const answer = await answered;
    try {
      const tokens = await redeem(issuer, answer.url, request);
      const signedIn = { server, issuer: issuer.url, client_id: clientId, ...tokens };
      const former = await replace(signedIn);
      await answer.finish('done');
      // it is forgotten here, and must not live there; the new one is what counts
      if (former) await revoke(former).catch(() => {});
      return signedIn;
    } catch (error) {
      await answer.finish('failed');
      throw error;
    }
  } finally {
    loopback.close();
  }
}

async function replace(signedIn: KeptSignIn): Promise<KeptSignIn | null> {
  return withFileLock(fileOf(signedIn.server), async () => {
    const former = await readAnyKept(signedIn.server);
    await keep(signedIn);
    return former;
  });
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    const minutes = Math.round(milliseconds / 60_000);
    const ended = new CommandFailed(`no one signed in within ${minutes} minutes`);
    timer = setTimeout(() => reject(ended), milliseconds);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
