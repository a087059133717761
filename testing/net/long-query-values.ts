// Maximum length of a parameter in a URL. URLs appear in browser histories and proxy logs, so the server
// stores state, and the URL contains only its id. Ids, mail tokens and cursors fit this length.
const MOST_CHARACTERS = 64;

/** Parameters with longer values, as `name=value`. URL values are checked recursively. */
export function longQueryValues(address: string): string[] {
  const { searchParams } = new URL(address, 'http://localhost');
  return [...searchParams].flatMap(([name, value]) => {
    if (value.startsWith('/')) return longQueryValues(value);
    return value.length > MOST_CHARACTERS ? [`${name}=${value}`] : [];
  });
}
