import { protocolRoute } from '#app/_doors/door.ts';
import { handleClientLogo } from '#lib/oauth/client-logo.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/client-logo', {
  GET: handleClientLogo,
});
