import { protocolRoute } from '#app/_doors/door.ts';
import { handlePasskeyEndpoints } from '#lib/oauth/site-files.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/.well-known/passkey-endpoints',
  { GET: handlePasskeyEndpoints },
);
