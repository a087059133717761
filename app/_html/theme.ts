// The switch between light and dark. A link of the chooser asks for the page itself with the choice in its address; the
// answer keeps the choice and leads to the address without it, so that a reload asks for nothing.
import { isThemeChoice, keepTheme } from '#lib/sessions/index.ts';
import { THEME_PARAMETER } from './hosted-frame.ts';

/** Null: nothing is chosen in this address. */
export function chooseTheme(
  method: string,
  path: string,
  query: URLSearchParams,
): { location: string; cookie: string } | null {
  const choice = query.get(THEME_PARAMETER);
  if (method !== 'GET' || !isThemeChoice(choice)) return null;
  const rest = new URLSearchParams([...query]);
  rest.delete(THEME_PARAMETER);
  const asked = rest.toString();
  // two slashes in front would name a host
  const location = `${path.replace(/^[/\\]+/, '/')}${asked && `?${asked}`}`;
  return { location, cookie: keepTheme(choice) };
}
