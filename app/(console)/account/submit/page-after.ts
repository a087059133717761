import type { Fields } from '#app/(console)/_forms/fields.ts';
import { settings } from '#lib/settings/settings.ts';

const CONSOLE_PAGE = /^\/(?:account|developer|admin)(?:[/?#]|$)/;

/** The page of the console that the form names in `to`; the account page where `to` is anything else. */
export function pageAfter(fields: Fields): string {
  const to = fields.one('to');
  const { baseUrl } = settings();
  const fits = CONSOLE_PAGE.test(to) && URL.canParse(to, baseUrl) && new URL(to, baseUrl).origin === baseUrl;
  return fits ? to : '/account';
}
