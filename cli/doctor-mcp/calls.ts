// The calls of the walk. A client may be sent anywhere by what it reads, and so might the doctor: it calls public
// addresses by https, and this machine only where the operator typed an address of this machine, or said that private
// ones may be called.
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';

/** The page of an MCP client in a browser, whose origin the documents must let in. */
const BROWSER = 'http://localhost:6274';

/** `failed`: in words why there was no answer. */
export type Called =
  | { status: number; headers: Headers; body: string; failed: null }
  | { status: null; failed: string };
export type CallOut = (
  url: string,
  init?: { method: 'POST'; headers: Record<string, string>; body: string },
) => Promise<Called>;

export function callsFrom(server: URL, privateNetwork: boolean): CallOut {
  const fromHere = isLoopbackHost(server.hostname);
  return async (address, init) => {
    const here = fromHere && isLoopbackHost(URL.parse(address)?.hostname ?? '');
    const call = outboundFetch({ allowPrivateNetwork: privateNetwork || here });
    try {
      const headers = { accept: 'application/json', origin: BROWSER, ...init?.headers };
      const answer = await call(address, { ...init, headers });
      return { status: answer.status, headers: answer.headers, body: await answer.text(), failed: null };
    } catch (error) {
      return { status: null, failed: wordsFor(error) };
    }
  };
}

function wordsFor(error: unknown): string {
  if (!(error instanceof OutboundFailed))
    return error instanceof TypeError ? 'it is no address' : String(error);
  const code = (error.cause as { code?: string } | undefined)?.code;
  const own = error.reason === 'private-address' || error.reason === 'insecure';
  return `${error.message}${code ? ` (${code})` : ''}${own ? '; --private-network lets this command call it' : ''}`;
}

export function isReadableInBrowsers({ headers }: { headers: Headers }): boolean {
  return ['*', BROWSER].includes(headers.get('access-control-allow-origin') ?? '');
}
