// What every hosted form must prove before anything happens: it comes from our own page, in the browser that the page
// was made for, with that page's anti-forgery token.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { whyForeignPost } from '#lib/http/navigation.ts';
import { readBodyParams } from '#lib/http/params.ts';
import { redirect } from '#lib/http/respond.ts';
import type { Told } from '#lib/language/message.ts';
import { isAntiForgeryToken, readBrowser } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { type Interaction, openInteraction, sealInteraction } from '../authorize-request/interaction.ts';
import { ForgedForm } from '../errors/errors.ts';

/** A page or form whose ten minutes are over. */
export class ExpiredInteraction extends Error {
  override name = 'ExpiredInteraction';
}

export type HostedForm = { fields: ReadonlyMap<string, string>; interaction: Interaction };

export async function readHostedForm(request: HttpRequest): Promise<HostedForm> {
  const fields = await readOwnForm(request);
  const browser = readBrowser(request.headers['cookie']);
  const sealed = fields.get('interaction');
  const interaction = openInteraction(sealed, browser);
  if (interaction === 'expired') throw new ExpiredInteraction('the interaction is older than ten minutes');
  if (interaction === null || !isAntiForgeryToken(fields.get('anti_forgery'), browser, sealed ?? '')) {
    throw new ForgedForm('the form is not one of ours, or of another browser');
  }
  return { fields, interaction };
}

/** The fields of a form that one of our own pages posted. */
export async function readOwnForm(request: HttpRequest): Promise<ReadonlyMap<string, string>> {
  const why = whyForeignPost(request, settings().authUrl);
  if (why !== null) throw new ForgedForm(`the form was posted from elsewhere: ${why}`);
  const { values, repeated } = await readBodyParams(request);
  if (repeated.size > 0) throw new ForgedForm('a field is repeated');
  return values;
}

/** The sign-in page once more, with what went wrong, and what was typed. */
export function signInAgain(interaction: Interaction, alert: Told, username?: string): Answer {
  const sealed = sealInteraction({ ...interaction, ...(username !== undefined && { username }), alert });
  return redirect(303, `${settings().authUrl}/login?interaction=${sealed}`);
}

/**
 * The page that moves on by itself: Chromium applies the CSP's form-action to a form's whole chain of redirects, and
 * the redirect to the client must not be part of it.
 */
export function continueLocation(interaction: Interaction): string {
  return `${settings().authUrl}/continue?interaction=${sealInteraction(interaction)}`;
}
