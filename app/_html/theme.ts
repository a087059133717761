// Theme switch. A chooser link requests the page with the choice in its address. The response stores it and redirects
// to the address without it, so reloading changes nothing.
import { mayKeepChoice } from '#lib/http/navigation.ts';
import { isThemeChoice, keepTheme } from '#lib/sessions/choices.ts';
import { THEME_PARAMETER } from './hosted-frame.ts';

type Asked = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
};

/** Null: the address contains no choice. `cookie` null: a page of another site made the choice. */
export function chooseTheme({ method, path, query, headers }: Asked): {
  location: string;
  cookie: string | null;
} | null {
  const choice = query.get(THEME_PARAMETER);
  if (method !== 'GET' || !isThemeChoice(choice)) return null;
  const rest = new URLSearchParams([...query]);
  rest.delete(THEME_PARAMETER);
  const asked = rest.toString();
  // two slashes in front would name a host
  const location = `${path.replace(/^[/\\]+/, '/')}${asked && `?${asked}`}`;
  return { location, cookie: mayKeepChoice(headers) ? keepTheme(choice) : null };
}
