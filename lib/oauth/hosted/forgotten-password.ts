// From an application's sign-in page to a new password, and back. The addresses are our own and carry the sealed
// interaction; where it has expired the sign-in page says what to do.
import { readBrowser } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { isInteraction, openInteraction, requestOf } from '../authorize-request/interaction.ts';

/** The value of `done` on the sign-in page after a reset. */
export const PASSWORD_RESET = 'password-reset';

/** The page to ask for a new password, with the interrupted sign-in, if there is one. */
export function forgottenPasswordAddress(interaction?: string): string {
  return `${settings().baseUrl}/account/forgot-password${queryOf({ interaction })}`;
}

/** The sign-in page to return to, before a reset or after it. */
export function signInAddress(interaction: string | undefined, done?: typeof PASSWORD_RESET): string {
  return `${settings().authUrl}/login${queryOf({ interaction, done })}`;
}

/** The text if it is an interaction that was sealed here; the sign-in page checks whose browser it belongs to. */
export function interruptedSignIn(sealed: string | undefined): string | undefined {
  return sealed !== undefined && isInteraction(sealed) ? sealed : undefined;
}

/** What was typed at the interrupted sign-in, for the browser that it belongs to. */
export function typedAddress(sealed: string | undefined, cookie: string | undefined): string {
  const interaction = openInteraction(sealed, readBrowser(cookie));
  return interaction === null || interaction === 'expired' ? '' : (interaction.username ?? '');
}

/** The request of an interrupted sign-in, for the mail. */
export const cameWith = (sealed: string | undefined) => (sealed && requestOf(sealed)) || undefined;

function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
