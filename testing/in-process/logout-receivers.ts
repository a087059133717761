// Server that receives back-channel logout notifications, with faults that a test chooses. Each client has a separate
// path.
import http from 'node:http';
import { listen, textOf } from '../net/listen.ts';

export type ReceivedLogout = { client: string; type: string | undefined; form: URLSearchParams };

export async function startLogoutReceivers() {
  const received: ReceivedLogout[] = [];
  /** how each client responds; `slow`: not until `release` is called; `dead`: closes the connection */
  const answers = new Map<string, number | 'slow' | 'dead'>();
  const held: http.ServerResponse[] = [];
  /** clients whose call ended: response sent, or connection closed */
  const ended: string[] = [];
  const server = http.createServer(async (request, response) => {
    const client = new URL(request.url ?? '', 'http://x').pathname.slice(1);
    const form = new URLSearchParams(await textOf(request));
    received.push({ client, type: request.headers['content-type'], form });
    response.once('close', () => ended.push(client));
    const answer = answers.get(client) ?? 200;
    if (answer === 'dead') request.socket.destroy();
    else if (answer === 'slow') held.push(response);
    else response.writeHead(answer, { location: '/elsewhere' }).end();
  });
  const { url, close } = await listen(server);
  return {
    url,
    close,
    received,
    answers,
    ended,
    /** answers 200 to all waiting requests */
    release: () => {
      for (const response of held.splice(0)) response.writeHead(200).end();
    },
  };
}
