// The protocol core of this process behind a real server, for a client or a broker that sends HTTP requests. BASE_URL
// is its address.
import { createNodeDoor } from '#lib/http/node-door.ts';
import { handleHttp, takesAllTokens } from '#lib/oauth/endpoints.ts';
import { malformedRequest } from '#lib/oauth/refusals.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { type Listening, listen } from '../net/listen.ts';

/** Starts the server. `handle`: endpoints outside the protocol core. `port`: port of a preceding server. */
export async function openDoor(handle: typeof handleHttp = async () => null, port = 0): Promise<Listening> {
  const door = createNodeDoor({
    handle: async (request) => (await handleHttp(request)) ?? handle(request),
    takesAllTokens,
    otherwise: async (_, outgoing) => void outgoing.writeHead(404).end(),
    onFault: (error) => {
      throw error;
    },
    onMalformed: malformedRequest,
  });
  const listening = await listen(door.server, { port });
  loadSettings({ ...process.env, BASE_URL: listening.url });
  return listening;
}
