// The interrupted authorize request behind a page, opened from its sealed interaction.
import type { Plain } from '#lib/language/message.ts';
import { antiForgeryToken, readBrowser } from '#lib/sessions/transaction.ts';
import { shownRequest } from '../authorize/decide.ts';
import { type Interaction, openInteraction } from '../authorize/interaction.ts';
import type { AuthorizeRequest } from '../authorize/request.ts';
import { OAuthError, UnidentifiedRequest, UnknownIssuer } from '../errors.ts';
import { UnregisteredClientRefused } from '../unregistered.ts';

export type PageInput = { interaction: string | undefined; cookie: string | undefined };

export type Unusable = { kind: 'unusable'; heading: Plain; message: Plain };

export const NOT_WORKING: Unusable = {
  kind: 'unusable',
  heading: 'errors.link',
  message: 'errors.another_browser',
};

const NO_COOKIE: Unusable = {
  kind: 'unusable',
  heading: 'errors.link',
  message: 'errors.no_cookies',
};

const EXPIRED: Unusable = {
  kind: 'unusable',
  heading: 'errors.expired',
  message: 'errors.expired_lead',
};

type HostedPage = {
  request: AuthorizeRequest;
  interaction: Interaction;
  browser: string;
  sealed: string;
  antiForgery: string;
};

/** The interrupted request that a page belongs to, and what binds its forms. */
export async function openHostedPage({
  interaction: sealed,
  cookie,
}: PageInput): Promise<HostedPage | Unusable> {
  const browser = readBrowser(cookie);
  const interaction = openInteraction(sealed, browser);
  if (interaction === 'expired') return EXPIRED;
  if (browser === null && sealed !== undefined) return NO_COOKIE;
  if (interaction === null || browser === null || sealed === undefined) return NOT_WORKING;
  try {
    const request = await shownRequest(interaction);
    return { request, interaction, browser, sealed, antiForgery: antiForgeryToken(browser, sealed) };
  } catch (error) {
    const known =
      error instanceof OAuthError || error instanceof UnknownIssuer || error instanceof UnidentifiedRequest;
    if (known) return NOT_WORKING;
    if (error instanceof UnregisteredClientRefused)
      return { kind: 'unusable', heading: error.heading, message: error.told };
    throw error;
  }
}
