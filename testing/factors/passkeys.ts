// Creates and uses passkeys of users, in this process.
import { randomUUID } from 'node:crypto';
import {
  passkeyChallenge,
  passkeyRegistration,
  provePasskey,
  registerPasskey,
} from '#lib/factors/passkeys.ts';
import { settings } from '#lib/settings/settings.ts';
import { Authenticator, type Wrong } from './authenticator.ts';

export const BROWSER = 'a-browser';

export const inContext = () => ({ requestId: randomUUID(), ip: null });

/** Adds a passkey for this user; returns the outcome. */
export async function addPasskeyWith(
  authenticator: Authenticator,
  personId: string,
  {
    wrong = {},
    name = 'My phone',
    browser = BROWSER,
  }: { wrong?: Wrong; name?: string; browser?: string } = {},
) {
  const asked = await passkeyRegistration({ personId, label: 'a@example.com', name: '', browser: BROWSER });
  const response = authenticator.create(asked.options, wrong);
  return registerPasskey({ personId, browser, state: asked.state, response, name, context: inContext() });
}

/** Creates an authenticator with one passkey for this user. */
export async function givenPasskey(
  personId: string,
  authenticator = new Authenticator(settings().authUrl),
): Promise<Authenticator> {
  const made = await addPasskeyWith(authenticator, personId);
  if (made.kind !== 'registered') throw new Error(made.code);
  return authenticator;
}

/**
 * Uses the newest passkey of the authenticator, and returns the outcome. `personId` null: passkey sign-in.
 */
export async function proveWith(
  authenticator: Authenticator,
  { wrong = {}, personId = null }: { wrong?: Wrong; personId?: string | null } = {},
) {
  const { options, state } = await passkeyChallenge({ browser: BROWSER, personId });
  const response = authenticator.get(options, wrong);
  return provePasskey({ browser: BROWSER, state, response, personId, context: inContext() });
}
