// An address stays in histories and in the logs of proxies, so state is stored on the server and the address contains
// its id. An id, a token of a mail and a cursor fit into this length.
const MOST_CHARACTERS = 64;

/** The parameters whose value is longer, as `name=value`. A value that is an address is read itself. */
export function longQueryValues(address: string): string[] {
  const { searchParams } = new URL(address, 'http://localhost');
  return [...searchParams].flatMap(([name, value]) => {
    if (value.startsWith('/')) return longQueryValues(value);
    return value.length > MOST_CHARACTERS ? [`${name}=${value}`] : [];
  });
}
