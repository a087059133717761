// The way from an application's sign-in page to a new password, and back. What travels is the sealed interaction; the
// addresses are our own, and where it is of no use any more the sign-in page says what to do.
import { settings } from '#lib/settings/index.ts';
import { isInteraction } from '../authorize/interaction.ts';

/** What `done` says on the sign-in page after a reset. */
export const PASSWORD_RESET = 'password-reset';

/** Where somebody asks for a new password, on the way to an application or not. */
export function forgottenPasswordAddress(interaction?: string): string {
  return `${settings().baseUrl}/account/forgot-password${queryOf({ interaction })}`;
}

/** The sign-in to go back to, before a reset or after it. */
export function signInAddress(interaction: string | undefined, done?: typeof PASSWORD_RESET): string {
  return `${settings().authUrl}/login${queryOf({ interaction, done })}`;
}

/** The text, where it is an interaction that was sealed here; whose browser's it is, the sign-in page asks. */
export function interruptedSignIn(sealed: string | undefined): string | undefined {
  return sealed !== undefined && isInteraction(sealed) ? sealed : undefined;
}

function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
