// Switching the theme. A link of the chooser requests the page with the choice in its address. The response stores
// the choice and redirects to the address without it, so a reload changes nothing.
import { mayKeepChoice } from '#lib/http/navigation.ts';
import { isThemeChoice, keepTheme } from '#lib/sessions/choices.ts';
import { THEME_PARAMETER } from '../_components/frame.tsx';

type Asked = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
};

/**
 * Returns the theme that the address selects; null: the address contains no choice. `cookie` null: the link was on
 * a page of another site, so the choice is not stored.
 */
export function chooseTheme({ method, path, query, headers }: Asked): {
  location: string;
  cookie: string | null;
} | null {
  const choice = query.get(THEME_PARAMETER);
  if (method !== 'GET' || !isThemeChoice(choice)) return null;
  const rest = new URLSearchParams([...query]);
  rest.delete(THEME_PARAMETER);
  const queryText = rest.toString();
  // two slashes at the start would make the next part a host
  const location = `${path.replace(/^[/\\]+/, '/')}${queryText && `?${queryText}`}`;
  return { location, cookie: mayKeepChoice(headers) ? keepTheme(choice) : null };
}
