// Console user with a password login, in this process.
import { randomUUID } from 'node:crypto';
import { sealPendingTotp } from '#lib/factors/totp.ts';
import { sessionHolder, signInToConsole } from '#lib/management/console-sign-in.ts';
import { type ConsoleActor, readConsoleActor, readConsoleVisitor } from '#lib/sessions/console.ts';
import { PASSWORD } from '../data/registry.ts';

export const browserWith = (cookieHeader?: string) => ({
  cookieHeader,
  ip: null,
  userAgent: null,
  requestId: randomUUID(),
});

/** Signs a user in, and returns the session's cookie. */
export async function signIn(email = 'zoe@example.com'): Promise<string> {
  const who = { authMethodId: 'local', username: email, password: PASSWORD };
  const result = await signInToConsole({ ...browserWith(), ...who });
  if (result.kind !== 'signed-in') throw new Error(result.kind);
  return held(result.cookie);
}

/** Returns the user of a session that has not completed the second factor. */
export async function halfway(cookie: string) {
  const visitor = await readConsoleVisitor(cookie, null);
  if (visitor?.kind !== 'unfinished') throw new Error('not halfway');
  return visitor;
}

/** Seals the secret of a new app for the form of this session. `replaces`: the app that it replaces. */
export async function sealApp(
  cookie: string,
  secret: string,
  replaces?: Parameters<typeof sealPendingTotp>[2],
): Promise<string> {
  const who = await readConsoleVisitor(cookie, null);
  if (who === null) throw new Error('signed out');
  return sealPendingTotp({ personId: who.id, holder: sessionHolder(who) }, secret, replaces);
}

export async function actorOf(cookie: string): Promise<ConsoleActor> {
  const actor = await readConsoleActor(cookie, null);
  if (!actor) throw new Error('signed out');
  return actor;
}

/** Returns the part of a Set-Cookie value that the browser sends back. */
export const held = (cookie: string) => cookie.split(';')[0] ?? '';
